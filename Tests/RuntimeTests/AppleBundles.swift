import CoreMLSpec
import Foundation

@testable import CoreMLRuntime

/// Folders in the format of Apple's compiler, written file by file.
struct AppleFolder {
  let path: String

  /// Makes a temporary folder and removes it when `body` returns.
  static func make<T>(_ body: (AppleFolder) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-apple-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(AppleFolder(path: folder.appending(path: "model.mlmodelc").path))
  }

  func put(_ bytes: [UInt8], _ name: String) throws {
    let file = URL(filePath: "\(path)/\(name)")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  func put(_ text: String, _ name: String) throws { try put(Array(text.utf8), name) }

  // MARK: coremldata.bin

  static func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
  static func string(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count)) + Array(text.utf8) }

  static func header(_ type: UInt32, _ form: String) -> [UInt8] {
    number(type) + [UInt8](repeating: 0, count: 24) + string(form) + number(UInt64(5))
      + [UInt8](repeating: 0, count: 24)
  }

  static func description(
    _ type: UInt32, _ features: (inout WireWriter) -> Void, form: String = "generic", trailer: [UInt8] = []
  ) -> [UInt8] {
    var writer = WireWriter()
    features(&writer)
    return header(type, form) + number(UInt64(writer.bytes.count)) + writer.bytes + trailer
  }

  /// A field `number` of `ModelDescription` or of a function: a float32 array.
  static func array(_ number: Int, _ name: String, _ shape: [Int64], to writer: inout WireWriter) {
    writer.append(number) { writer in
      writer.append(1, string: name)
      writer.append(3) { writer in
        writer.append(5) { writer in
          writer.append(1, packed: shape)
          writer.append(2, int: 65568)
        }
      }
    }
  }

  // MARK: espresso

  /// A neural network of JSON layers with one input array and one output array. `weights` is keyed by blob number.
  func network(
    _ layers: [String], weights: [UInt64: [Float]] = [:], shapes: String = "{}", input: [Int64], output: [Int64]
  ) throws {
    try put(
      Self.description(500) { writer in
        Self.array(1, "x", input, to: &writer)
        Self.array(10, "y", output, to: &writer)
      }, "coremldata.bin")
    try espresso(layers, weights: weights, shapes: shapes)
  }

  func espresso(_ layers: [String], weights: [UInt64: [Float]], shapes: String = "{}", more: String = "") throws {
    let list = layers.joined(separator: ", ")
    try put(
      #"{"storage": "model.espresso.weights", "format_version": 200, \#(more) "layers": [\#(list)]}"#,
      "model.espresso.net")
    try put(#"{"layer_shapes": \#(shapes)}"#, "model.espresso.shape")
    let sorted = weights.sorted { $0.key < $1.key }
    var bytes = Self.number(UInt64(sorted.count))
    for (id, values) in sorted { bytes += Self.number(id) + Self.number(UInt64(values.count * 4)) }
    for (_, values) in sorted { bytes += values.flatMap { Self.number($0.bitPattern) } }
    try put(bytes, "model.espresso.weights")
  }

  /// A program from `x` to `y`. The axes of `x` have any size and default to `shape`; `y` has any shape.
  func flexible(_ program: String, _ shape: [Int]) throws {
    try put(
      Self.description(502) { writer in
        OutputShapeTests.flexible("x", shape.map(Int64.init), shape.map { _ in (0, -1) }).write(1, to: &writer)
        OutputShapeTests.flexible("y", [], []).write(10, to: &writer)
      }, "coremldata.bin")
    try put("program(1.3) { func main<ios16>\(program); }", "model.mil")
  }

  // MARK: prediction

  func model(function: String? = nil) throws -> MLModel {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    configuration.functionName = function
    return try MLModel(contentsOf: URL(filePath: path), configuration: configuration)
  }

  /// The elements of output `y` for the given elements of input `x`.
  func run(_ values: [Float], _ shape: [Int], function: String? = nil) throws -> [Double] {
    let model = try model(function: function)
    let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: .float32)
    for (index, value) in values.enumerated() { array[index] = NSNumber(value: value) }
    let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": array]))
    guard let y = result.featureValue(for: "y")?.multiArrayValue else { return [] }
    return (0..<y.count).map { y[$0].doubleValue }
  }
}
