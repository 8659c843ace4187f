import CoreMLBase
import Foundation
import Testing

@testable import CoreMLSpec

/// A message with the fields that `body` writes.
func message(_ body: (inout WireWriter) throws -> Void) rethrows -> Message {
  var writer = WireWriter()
  try body(&writer)
  return Message(Bytes(writer.bytes))
}

/// A message of raw bytes.
func message(_ bytes: UInt8...) -> Message { Message(Bytes(bytes)) }

/// Expects an error with this code, and returns it.
@discardableResult
func expectError<T>(
  _ code: SpecError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) -> SpecError? {
  let error = #expect(throws: SpecError.self, sourceLocation: sourceLocation) { _ = try body() }
  #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
  return error
}

/// Makes a temporary folder and removes it when `body` returns.
func inTemporaryFolder<T>(_ body: (String) throws -> T) throws -> T {
  let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-spec-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder.path)
}

/// Writes a file and creates its folders.
func put(_ bytes: [UInt8], _ path: String) throws {
  try FileManager.default.createDirectory(
    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
  try Data(bytes).write(to: URL(filePath: path))
}

func put(_ text: String, _ path: String) throws { try put(Array(text.utf8), path) }

/// The bytes of a small identity model with this specification version.
func identityModel(version: Int64 = 1) -> [UInt8] {
  var writer = WireWriter()
  writer.append(1, int: version)
  writer.append(2) { $0.append(1) { $0.append(1, string: "x") } }
  writer.append(900) { _ in }
  return writer.bytes
}

/// A random number generator with the same sequence in every run.
struct Dice: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }
}
