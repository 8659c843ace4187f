import CoreMLBase
import CoreMLSpec
import Foundation
import MIL
import Testing

@testable import CoreMLImport

/// Elements of weight files are read as the type that the file states.
@Suite struct WeightFilesTests {
  /// The runtime does not read bytes of one type as elements of another.
  @Test(arguments: [BlobDataType.int32, .float16, .uint32]) func weightsAreOfTheTypeThatTheFileSays(type: BlobDataType)
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "weight.bin").path
    func write(_ type: BlobDataType) throws -> UInt64 {
      let writer = try BlobWriter(path: path)
      let offset = try [Float](repeating: 1, count: 32).withUnsafeBytes { try writer.append(type, $0) }
      try writer.finish()
      return offset
    }
    let weights = WeightFiles { _ in try BlobFile.open(path) }
    var offset = try write(type)
    let declared = TensorType(.float32, [8])
    let error = #expect(throws: SpecError.self) {
      _ = try weights.tensor(BlobReference(path: "w", offset: offset), declared)
    }
    #expect(error?.message.contains("\(type)") == true && error?.message.contains("fp32") == true)
    offset = try write(.float32)
    let again = WeightFiles { _ in try BlobFile.open(path) }
    #expect(
      try again.tensor(BlobReference(path: "w", offset: offset), declared).doubles() == Array(repeating: 1, count: 8))
  }

  /// Weight files have no Boolean type. Bytes with the values 0 and 1 can be Booleans, other bytes cannot.
  @Test func truthValuesAreBytes() throws {
    func read(_ type: BlobDataType, _ bytes: [UInt8]) throws -> [Double] {
      let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appending(path: "weight.bin").path
      let writer = try BlobWriter(path: path)
      let offset = try writer.append(type, Bytes(bytes))
      try writer.finish()
      let weights = WeightFiles { _ in try BlobFile.open(path) }
      return try weights.tensor(BlobReference(path: "w", offset: offset), TensorType(.bool, [4])).doubles()
    }
    for type in [BlobDataType.uint8, .int8] { #expect(try read(type, [1, 0, 0, 1]) == [1, 0, 0, 1]) }
    for (type, bytes) in [
      (BlobDataType.uint8, [1, 0, 2, 1]), (.float32, [0, 0, 128, 63, 0, 0, 0, 0]), (.float16, [0, 60, 0, 0]),
      (.uint1, [1, 0, 0, 1]), (.uint16, [1, 0, 0, 0]),
    ] as [(BlobDataType, [UInt8])] {
      let error = #expect(throws: SpecError.self, "\(type)") { _ = try read(type, bytes) }
      #expect(error?.code == .malformedBlob && error?.message.contains("bool") == true, "\(type)")
    }
  }
}
