import CoreMLSpec
import Foundation
import MIL
import Testing

@testable import CoreMLImport

/// What a compiled model's weight file holds.
@Suite struct ExternaliseWeightsTests {
  /// Two functions with the weight at 64, one of them with another at 2176 as well, whose bytes are the same.
  private static let text = """
    program(1.3)
    {
        func main<ios18>(tensor<fp32, [500]> x) {
            tensor<fp32, [500]> a = const()[val = tensor<fp32, [500]>(BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(64)))];
            tensor<fp32, [500]> y = add(x = x, y = a);
        } -> (y);
        func other<ios18>(tensor<fp32, [500]> x) {
            tensor<fp32, [500]> b = const()[val = tensor<fp32, [500]>(BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(64)))];
            tensor<fp32, [500]> c = const()[val = tensor<fp32, [500]>(BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(2176)))];
            tensor<fp32, [500]> d = add(x = x, y = b);
            tensor<fp32, [500]> y = add(x = d, y = c);
        } -> (y);
    }
    """

  @Test func weightsThatFunctionsShareAreWrittenOnce() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "externalise-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Each reference is read by itself, as from a file: another storage of the same place.
    let numbers = (0..<500).map { Float($0) }
    var program = try MILText.parse(Self.text) { reference, type in
      let read = Tensor(float32: numbers, shape: [500])
      let storage = TensorStorage(
        borrowing: read.storage.pointer, byteCount: read.byteCount, owner: read.storage, origin: reference)
      return try Tensor(type.scalar, shape: [500], storage: storage)
    }
    let path = folder.appending(path: "weight.bin").path
    try ExternaliseWeights(path: path, reference: "@model_path/weights/weight.bin")(&program)
    func offsets(_ function: String) throws -> [UInt64] {
      try #require(program.functions[function]).body.operations.compactMap {
        $0.constant?.tensor?.storage.origin?.offset
      }
    }
    #expect(try offsets("main") == [64])
    #expect(try offsets("other") == [64, 2176])
    let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < 3 * 2112, "\(size) bytes for two weights of 2,000")
  }
}
