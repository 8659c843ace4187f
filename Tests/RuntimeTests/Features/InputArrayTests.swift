import FeatureFiles
import Foundation
import Testing

@testable import CoreMLRuntime

/// Converting arrays from a `.npy` file to a feature.
@Suite final class InputArrayTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-\(UUID().uuidString)")
  private static let description = """
    {'descr': '%', 'fortran_order': @, 'shape': (2, 3), }
    """

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func array(_ shape: [Int], _ type: MLMultiArrayDataType) -> MLFeatureDescription {
    let constraint = MLMultiArrayConstraint(
      shape: shape.map { NSNumber(value: $0) }, dataType: type,
      shapeConstraint: MLMultiArrayShapeConstraint(type: .unspecified, ranges: [], enumeratedShapes: []))
    return MLFeatureDescription(name: "x", type: .multiArray, isOptional: false, multiArrayConstraint: constraint)
  }

  private func file(_ type: String, fortran: Bool = false, _ elements: [UInt8]) throws -> String {
    let header = Array(
      Self.description.replacing("%", with: type).replacing("@", with: fortran ? "True" : "False").utf8)
    let url = folder.appending(path: "\(UUID().uuidString).npy")
    try Data([0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(header.count), 0] + header + elements).write(to: url)
    return url.path
  }

  private func bytes<T>(_ values: [T]) -> [UInt8] { values.withUnsafeBytes { Array($0) } }

  /// The same six values in every element type and order that a file may have.
  @Test func everyTypeAndOrderGivesTheSameNumbers() throws {
    let numbers: [Float] = [1, 2, 3, 4, 5, 6]
    let columns: [Float] = [1, 4, 2, 5, 3, 6]
    let files = [
      try file("<f4", bytes(numbers)),
      try file(">f4", bytes(numbers.map { $0.bitPattern.bigEndian })),
      try file("<f4", fortran: true, bytes(columns)),
      try file("<f8", bytes(numbers.map(Double.init))),
      try file("<f2", bytes(numbers.map { Float16($0) })),
      try file("|u1", bytes(numbers.map { UInt8($0) })),
      try file(">i8", fortran: true, bytes(columns.map { Int64($0).bigEndian })),
    ]
    for type in [MLMultiArrayDataType.float32, .double, .float16, .int32, .int8] {
      let feature = array([2, 3], type)
      for path in files {
        let value = try NPYFile.read(path) { try FeatureConversion.feature($0, feature) }
        let array = try #require(value.multiArrayValue)
        #expect(array.dataType == type && array.shape == [2, 3])
        #expect((0..<6).map { array[$0].floatValue } == numbers, "\(path) as \(type)")
      }
    }
  }

  @Test func aFileThatIsCutShortIsRefused() throws {
    let path = try file("<f4", [UInt8](repeating: 0, count: 20))
    let error = #expect(throws: FeatureFileError.self) { try NPYFile.read(path) }
    #expect(error?.message.contains("20 bytes are there, the shape [2, 3] needs 24") == true)
  }

  @Test func anArrayThatTheFeatureDoesNotAdmitIsNotRead() throws {
    let path = try file("<f4", bytes([Float](repeating: 0, count: 6)))
    let feature = array([5], .float32)
    let error = #expect(throws: FeatureFileError.self) {
      try NPYFile.read(path) { elements in
        _ = try FeatureConversion.feature(elements, feature)
        Issue.record("the array was admitted")
      }
    }
    #expect(error?.message.contains("(2 x 3) does not match the shape (5)") == true)
  }
}
