import CoreMLSpec
import Foundation
import MIL
import Testing

@testable import CoreMLImport

/// The content of a compiled model's weight file.
@Suite struct ExternaliseWeightsTests {
  /// Two functions share the weight at offset 64. One of them also has a weight at 2176 with the same bytes. It also
  /// has a weight from a file of the same name in another folder, as stages of a pipeline do.
  private static func program(_ files: [String: [UInt64: Tensor]]) throws -> Program {
    func constant(_ name: String, _ file: String, _ offset: Int) -> String {
      "tensor<fp32, [500]> \(name) = const()[val = tensor<fp32, [500]>(BLOBFILE(path = string(\"\(file)\"), offset = uint64(\(offset))))];"
    }
    let text = """
      program(1.3)
      {
          func main<ios18>(tensor<fp32, [500]> x) {
              \(constant("a", "one", 64))
              tensor<fp32, [500]> y = add(x = x, y = a);
          } -> (y);
          func other<ios18>(tensor<fp32, [500]> x) {
              \(constant("b", "one", 64))
              \(constant("c", "one", 2176))
              \(constant("d", "two", 64))
              tensor<fp32, [500]> e = add(x = x, y = b);
              tensor<fp32, [500]> f = add(x = e, y = c);
              tensor<fp32, [500]> y = add(x = f, y = d);
          } -> (y);
      }
      """
    // Each reference is read separately, as from a mapped file: another storage for the same offset.
    return try MILText.parse(text) { reference, type in
      let place = try #require(files[reference.path]?[reference.offset])
      let named = BlobReference(path: "@model_path/weights/weight.bin", offset: reference.offset)
      let storage = TensorStorage(
        borrowing: place.storage.pointer, byteCount: place.byteCount, owner: place.storage, origin: named)
      return try Tensor(type.scalar, shape: [500], storage: storage)
    }
  }

  @Test func weightsThatFunctionsShareAreWrittenOnce() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "externalise-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let numbers = (0..<500).map { Float($0) }
    func weight(_ numbers: [Float]) -> Tensor { Tensor(float32: numbers, shape: [500]) }
    var program = try Self.program([
      "one": [64: weight(numbers), 2176: weight(numbers)], "two": [64: weight(numbers.reversed())],
    ])
    let path = folder.appending(path: "weight.bin").path
    var externalise = ExternaliseWeights(reference: "@model_path/weights/weight.bin")
    try externalise(&program)
    try externalise.write(to: path)
    #expect(try externalise.digest() == WeightsDigest.digest(ofFile: path))
    func weights(_ function: String) throws -> [Tensor] {
      try #require(program.functions[function]).body.operations.compactMap { $0.constant?.tensor }
    }
    #expect(try weights("main").map { $0.storage.origin?.offset } == [64])
    #expect(try weights("other").map { $0.storage.origin?.offset } == [64, 2176, 4288])
    #expect(try weights("other").last?.floats() == numbers.reversed())
    let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < 4 * 2112, "\(size) bytes for three weights of 2,000")
  }
}
