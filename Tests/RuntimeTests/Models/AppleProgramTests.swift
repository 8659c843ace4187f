import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// ML programs compiled by Apple's tools.
@Suite struct AppleProgramTests {
  private static func functions(_ writer: inout WireWriter) {
    for name in ["first", "second"] {
      writer.append(20) { writer in
        writer.append(1, string: name)
        AppleFolder.array(2, "x", [4], to: &writer)
        AppleFolder.array(3, "y", [4], to: &writer)
      }
    }
    writer.append(21, string: "second")
  }

  private static func feature(_ writer: inout WireWriter) {
    AppleFolder.array(1, "x", [4], to: &writer)
    AppleFolder.array(10, "y", [4], to: &writer)
  }

  @Test func functionsByName() throws {
    try AppleFolder.make { folder in
      try folder.put(AppleFolder.description(502, Self.functions), "coremldata.bin")
      try folder.put(
        """
        program(1.3)
        [buildInfo = dict<string, string>({{"coremlc-version", "3600.25.1"}})]
        {
            func first<ios18>(tensor<fp32, [4]> x) { tensor<fp32, [4]> y = relu(x = x); } -> (y);
            func second<ios18>(tensor<fp32, [4]> x) [FlexibleShapeInformation = tuple<tuple<string, dict<string, tensor<int32, [?]>>>>((("DefaultShapes", {{"x", [4]}})))] {
              tensor<fp32, [4]> y = mul(x = x, y = fp32(-0x1p+1));
            } -> (y);
        }
        """, "model.mil")
      #expect(try folder.run([1, -2, 3, 0], [4], function: "first") == [1, 0, 3, 0])
      #expect(try folder.run([1, -2, 3, 0], [4], function: "second") == [-2, 4, -6, 0])
      #expect(try folder.run([1, -2, 3, 0], [4]) == [-2, 4, -6, 0])
      #expect(throws: MLModelError.self) { try folder.run([1, -2, 3, 0], [4], function: "third") }
    }
  }

  /// The first dialect with weights in a file, and a palette in the encoding of its opset: indices packed into bytes.
  @Test func weightsAndPalettes() throws {
    try AppleFolder.make { folder in
      try folder.put(AppleFolder.description(502, Self.feature), "coremldata.bin")
      try folder.put([], "weights/weights.bin")
      let writer = try BlobWriter(path: "\(folder.path)/weights/weights.bin")
      let values: [Float] = [10, 20, 30, 40]
      let offset = try values.withUnsafeBytes { try writer.append(.float32, $0, paddingBits: 0) }
      try writer.finish()
      try folder.put(
        """
        program(1.0)
        {
            func main<ios16>(tensor<fp32, [4]> x) {
                tensor<fp32, [4]> w = const()[name = tensor<string, []>("w"), val = tensor<fp32, [4]>(BLOBFILE(path = tensor<string, []>("@model_path/weights/weights.bin"), offset = tensor<uint64, []>(\(offset))))];
                tensor<fp32, [4]> p = constexpr_lut_to_dense()[name = tensor<string, []>("p"), indices = tensor<uint8, [1]>([228]), lut = tensor<fp32, [4]>([1, 2, 4, 8]), shape = tensor<uint32, [1]>([4])];
                tensor<fp32, [4]> a = add(x = x, y = w)[name = tensor<string, []>("a")];
                tensor<fp32, [4]> y = mul(x = a, y = p)[name = tensor<string, []>("y")];
            } -> (y);
        }
        """, "model.mil")
      // The byte 228 holds 0, 1, 2, 3, starting at the least significant bits.
      let first = try folder.run([0, 0, 0, 0], [4])
      #expect(first == [10, 40, 120, 320])
    }
  }

  @Test func theInterfaceInWordsWhereTheDescriptionIsMissing() throws {
    try AppleFolder.make { folder in
      try folder.put(
        "program(1.3) { func main<ios18>(tensor<fp32, [4]> x) { tensor<fp32, [4]> y = relu(x = x); } -> (y); }",
        "model.mil")
      #expect(throws: MLModelError.self) { try folder.model() }
      let feature = #""type": "MultiArray", "dataType": "Float32", "shape": "[4]"}"#
      try folder.put(
        """
        [{"specificationVersion": 7, "inputSchema": [{"name": "x", \(feature)], "outputSchema": [{"name": "y", \(feature)]}]
        """, "metadata.json")
      #expect(try folder.run([1, -2, 3, 0], [4]) == [1, 0, 3, 0])
    }
  }

  @Test(arguments: [
    "program(1.3) { func main<ios99>(tensor<fp32, [4]> x) { tensor<fp32, [4]> y = relu(x = x); } -> (y); }",
    "program(1.3) { func main<ios18>(tensor<fp32, [4]> x) { tensor<fp32, [4]> y = no_such(x = x); } -> (y); }",
    "program(1.3) { func main<ios18>(tensor<fp32, [4]> x) { tensor<fp32, [4]> y = relu(x = z); } -> (y); }",
    "program(1.3) { func main<ios18>(tensor<fp32, [4]> x) {",
    #"""
    program(1.3) { func main<ios18>(tensor<fp32, [4]> x) {
      tensor<fp32, [4]> y = const()[val = tensor<fp32, [4]>(BLOBFILE(path = string("@model_path/../w.bin"), offset = uint64(64)))];
    } -> (y); }
    """#,
  ])
  func damagedPrograms(_ text: String) throws {
    try AppleFolder.make { folder in
      try folder.put(AppleFolder.description(502, Self.feature), "coremldata.bin")
      try folder.put(text, "model.mil")
      #expect(throws: MLModelError.self) { try folder.run([1, 2, 3, 4], [4]) }
    }
  }
}
