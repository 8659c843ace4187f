import CoreMLBase
import Foundation
import Testing

@testable import CoreMLSpec

/// Model files in the format of Apple's tools, written field by field.
@Suite struct AppleCompiledTests {
  private func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
  private func string(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count)) + Array(text.utf8) }

  private func header(_ type: UInt32, _ form: String, version: UInt64 = 4) -> [UInt8] {
    number(type) + [UInt8](repeating: 0, count: 24) + string(form) + number(version) + [UInt8](repeating: 0, count: 24)
  }
  private func generic(_ type: UInt32, _ description: [UInt8], trailer: [UInt8] = [], version: UInt64 = 4) -> [UInt8] {
    header(type, "generic", version: version) + number(UInt64(description.count)) + description + trailer
  }

  // MARK: coremldata.bin

  @Test func aWholeModelFillsTheRest() throws {
    let model = identityModel()
    let description = try CompiledDescription(Bytes(header(900, "spec") + model))
    guard case .model(let bytes) = description.contents else {
      Issue.record("expected a model, found \(description.contents)")
      return
    }
    #expect(bytes.array == model && description.typeNumber == 900 && description.specificationVersion == 4)
  }

  @Test func aDescriptionHasALengthAndATrailer() throws {
    let bytes = Bytes(generic(502, [1, 2, 3], trailer: [9, 9]))
    guard case .description(let message, let trailer) = try CompiledDescription(bytes).contents else {
      Issue.record("expected a description")
      return
    }
    #expect(message.array == [1, 2, 3] && trailer.array == [9, 9])
  }

  /// The format of Xcode 9 before its release: an empty string, the version and two zeros precede the format name.
  @Test func theFirstForm() throws {
    func early(_ form: String, _ rest: [UInt8], version: UInt64 = 1) -> [UInt8] {
      number(UInt32(201)) + [UInt8](repeating: 0, count: 24) + string("") + number(version)
        + [UInt8](repeating: 0, count: 16) + string(form) + rest
    }
    let generic = early("generic.model0v1.0.0spec", number(UInt64(3)) + [1, 2, 3, 9])
    let description = try CompiledDescription(Bytes(generic))
    guard case .description(let message, let trailer) = description.contents else {
      Issue.record("expected a description")
      return
    }
    #expect(message.array == [1, 2, 3] && trailer.array == [9] && description.specificationVersion == 1)
    guard case .model(let bytes) = try CompiledDescription(Bytes(early("spec", identityModel()))).contents else {
      Issue.record("expected a model")
      return
    }
    #expect(bytes.array == identityModel())
    for length in 1..<(generic.count - 1) {
      expectError(.malformedCompiledModel) { try CompiledDescription(Bytes(Array(generic.prefix(length)))) }
    }
    expectError(.malformedCompiledModel) { try CompiledDescription(Bytes(early("", []))) }
    expectError(.unsupportedSpecificationVersion) { try CompiledDescription(Bytes(early("spec", [], version: 99))) }
  }

  @Test func classesOfAClassifier() throws {
    let strings = number(UInt64(403)) + number(UInt64(100)) + number(UInt64(2)) + string("cat") + string("dog")
    let named = try CompiledDescription(Bytes(generic(403, [], trailer: strings + string("p")))).classifier()
    #expect(named.labels == .strings(["cat", "dog"]) && named.probabilities == "p")
    let integers = number(UInt64(403)) + number(UInt64(101)) + number(UInt64(2)) + number(Int64(-7)) + number(Int64(5))
    let counted = try CompiledDescription(Bytes(generic(403, [], trailer: integers + string("p")))).classifier()
    #expect(counted.labels == .integers([-7, 5]))
    for trailer in [
      number(UInt64(500)) + strings.dropFirst(8), number(UInt64(403)) + number(UInt64(99)),
      number(UInt64(403)) + number(UInt64(100)) + number(UInt64.max), Array(strings.dropLast()), [],
    ] {
      expectError(.malformedCompiledModel) {
        try CompiledDescription(Bytes(generic(403, [], trailer: trailer))).classifier()
      }
    }
  }

  @Test func modelsOfAPipeline() throws {
    let trailer = number(UInt64(2)) + number(UInt64(201))
    let bytes = header(201, "generic.model0v1.0.0spec.model1v1.0.0spec") + number(UInt64(0)) + trailer
    #expect(try CompiledDescription(Bytes(bytes)).modelCount() == 2)
    for count in [0, 1000, UInt64.max] {
      expectError(.malformedCompiledModel) {
        try CompiledDescription(Bytes(generic(201, [], trailer: number(count)))).modelCount()
      }
    }
  }

  @Test func damagedDescriptions() throws {
    let whole = generic(502, [1, 2, 3])
    for length in 1..<whole.count {
      expectError(.malformedCompiledModel) { try CompiledDescription(Bytes(Array(whole.prefix(length)))) }
    }
    expectError(.standIn) { try CompiledDescription(Bytes()) }
    expectError(.unsupportedSpecificationVersion) { try CompiledDescription(Bytes(generic(502, [], version: 99))) }
    expectError(.malformedCompiledModel) { try CompiledDescription(Bytes(header(502, "other"))) }
    expectError(.malformedCompiledModel) {
      try CompiledDescription(Bytes(header(502, "generic") + number(UInt64.max) + [0]))
    }
  }

  // MARK: espresso

  @Test func weightsByNumber() throws {
    let table = [(0, 2), (1, 4), (2, 0), (3, 1)].map { number(UInt64($0.0)) + number(UInt64($0.1)) }.flatMap { $0 }
    let weights = try EspressoWeights(Bytes(number(UInt64(4)) + table + [0, 0, 1, 2, 3, 4, 5]))
    #expect(try weights.blob(1).array == [1, 2, 3, 4])
    #expect(try weights.blob(3).array == [5])
    expectError(.malformedCompiledModel) { try weights.blob(7) }
  }

  @Test func damagedWeights() throws {
    func file(_ table: [(UInt64, UInt64)], count: UInt64? = nil, _ data: [UInt8]) -> Bytes {
      Bytes(number(count ?? UInt64(table.count)) + table.flatMap { number($0.0) + number($0.1) } + data)
    }
    for bytes in [
      file([(1, 4)], [1, 2, 3]), file([(1, 1), (3, UInt64.max)], [1]), file([(1, 0), (1, 0)], []),
      file([(1, 0)], count: UInt64.max, []), file([], count: 1, []), Bytes([1, 2, 3]),
    ] {
      expectError(.malformedCompiledModel) { try EspressoWeights(bytes) }
    }
  }

  @Test func layersAndTheirFields() throws {
    try inTemporaryFolder { folder in
      let path = folder + "/model.espresso.net"
      try put(
        """
        {"format_version": 200, "storage": "w", "transform_params": {"i": {"scale": 2, "bias_b": -1, "is_network_bgr": 1}},
         "layers": [{"name": "a", "type": "add", "bottom": "x,y", "top": "z", "K": 3, "flag": true, "weights": {"q": 1},
                     "list": [1, {"a": null}], "none": null}]}
        """, path)
      let network = try EspressoNetwork.open(path)
      let layer = try #require(network.layers.first)
      #expect(layer.inputs == ["x", "y"] && layer.outputs == ["z"] && network.storage == "w")
      guard case .number(3) = layer.fields["K"], case .number(1) = layer.fields["flag"],
        case .other(count: 1) = layer.fields["weights"], case .other(count: 2) = layer.fields["list"],
        case .other(count: 0) = layer.fields["none"]
      else {
        Issue.record("found the fields \(layer.fields)")
        return
      }
      let transform = try #require(network.transforms["i"])
      #expect(transform.scale == 2 && transform.blueBias == -1 && transform.redBias == 0 && transform.isBlueFirst)
      try put(#"{"format_version": 900, "layers": []}"#, path)
      expectError(.compiledByApple) { try EspressoNetwork.open(path) }
      for text in ["{}", "[", #"{"format_version": 200, "layers": [{"name": "a", "type": 1, "top": "z"}]}"#] {
        try put(text, path)
        expectError(.malformedCompiledModel) { try EspressoNetwork.open(path) }
      }
      try put(#"{"layer_shapes": {"x": {"n": 1, "k": 2, "h": 3, "w": 4, "_rank": 4}}}"#, path)
      let shape = try #require(try EspressoShapes.open(path).shapes["x"])
      #expect([shape.n, shape.k, shape.h, shape.w, shape.rank] == [1, 2, 3, 4, 4])
    }
  }

  @Test func pixelsOfImages() throws {
    func map(_ value: Float) -> [UInt8] { number(UInt64(1)) + string("image") + number(value.bitPattern) }
    let whole = [1, 0, 1, 0, 0, 0, -0.5, 2].flatMap(map)
    let pixels = try #require(try EspressoPixels(Bytes(whole)).inputs["image"])
    #expect(pixels == .init(isBlueFirst: false, isGrayscale: true, biases: [0, 0, 0, -0.5], scale: 2))
    #expect(try EspressoPixels(Bytes([UInt8](repeating: 0, count: 64))).inputs.isEmpty)
    for length in 0..<whole.count {
      expectError(.malformedCompiledModel) { try EspressoPixels(Bytes(Array(whole.prefix(length)))) }
    }
    expectError(.compiledByApple) { try EspressoPixels(Bytes(whole + [0])) }
  }

  @Test func aCompressedNetworkIsNamed() throws {
    try inTemporaryFolder { folder in
      try put("pbze\u{0}\u{1}", folder + "/m.mlmodelc/model.espresso.net")
      expectError(.compiledByApple) { try ModelLocation.open(folder + "/m.mlmodelc") }
    }
  }

  // MARK: metadata.json

  private func schema(_ json: String) throws -> Specification.ModelDescription {
    try inTemporaryFolder { folder in
      try put(json, folder + "/metadata.json")
      return Specification.ModelDescription(Message(try MetadataSchema.open(folder + "/metadata.json").description()))
    }
  }

  @Test func featuresInWords() throws {
    let description = try schema(
      """
      [{"specificationVersion": 7, "inputSchema": [
          {"name": "a", "type": "MultiArray", "dataType": "Float16", "shape": "[1, 2]", "shapeRange": "[[1, 1], [2, -1]]"},
          {"name": "i", "type": "Image", "width": "4", "height": "3", "colorspace": "BGR", "isOptional": "1"}],
        "outputSchema": [{"name": "d", "type": "Dictionary", "keyType": "String"}, {"name": "l", "type": "String"}],
        "stateSchema": [{"name": "s", "type": "State", "dataType": "Float16", "shape": "[5]"}]}]
      """)
    let inputs = try description.input.map { $0 }
    let array = try #require(try inputs[0].type?.multiArrayType)
    #expect(try array.shape == [1, 2] && array.dataType == .float16)
    guard case .shapeRange(let range) = try array.shapeFlexibility else {
      Issue.record("expected a range")
      return
    }
    #expect(try range.sizeRanges.map { try $0.upperBound } == [1, -1])
    let image = try #require(try inputs[1].type?.imageType)
    #expect(try image.width == 4 && image.height == 3 && image.colorSpace == .bgr && inputs[1].type?.isOptional == true)
    let outputs = try description.output.map { $0 }
    #expect(try outputs[0].type?.dictionaryType?.stringKeyType != nil && outputs[1].type?.stringType != nil)
    #expect(try description.state.map { try $0.type?.stateType?.arrayType?.shape } == [[5]])
  }

  @Test func functionsInWords() throws {
    let feature = #"[{"name": "x", "type": "MultiArray", "dataType": "Float32", "shape": "[4]"}]"#
    let description = try schema(
      """
      [{"specificationVersion": 9, "inputSchema": \(feature), "outputSchema": [], "defaultFunctionName": "second",
        "functions": [{"name": "first", "inputSchema": \(feature), "outputSchema": []},
                      {"name": "second", "inputSchema": \(feature), "outputSchema": []}]}]
      """)
    #expect(try description.functions.map { try $0.name } == ["first", "second"])
    #expect(try description.defaultFunctionName == "second" && description.input.isEmpty)
  }

  @Test func damagedSchemas() {
    for feature in [
      #"{"name": "x", "type": "Other"}"#, #"{"name": "x", "type": "MultiArray", "dataType": "Q", "shape": "[1]"}"#,
      #"{"name": "x", "type": "MultiArray", "dataType": "Float32", "shape": "[a]"}"#,
      #"{"name": "x", "type": "MultiArray", "dataType": "Float32", "shape": "[1]", "shapeRange": "[[1]]"}"#,
      #"{"name": "x", "type": "Image", "width": "-1", "height": "3", "colorspace": "RGB"}"#,
      #"{"name": "x", "type": "MultiArray", "dataType": "Float32", "shape": "[1]", "hasShapeFlexibility": "1"}"#,
    ] {
      expectError(.malformedCompiledModel) {
        try schema(#"[{"specificationVersion": 7, "inputSchema": [\#(feature)], "outputSchema": []}]"#)
      }
    }
    expectError(.malformedCompiledModel) { try schema("[]") }
  }
}
