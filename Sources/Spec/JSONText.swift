import CoreMLBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Small JSON files in a model's folder.
enum JSONText {
  /// Far more than the size of a manifest or of a model's metadata.
  static let limit = 16 << 20

  /// Reads a file of at most `limit` bytes. Errors have this code.
  static func read<Value: Decodable>(_ type: Value.Type, file path: String, _ code: SpecError.Code) throws -> Value {
    let bytes = try Bytes.mapping(file: path)
    try LFSPointer.refuse(bytes, expected: "JSON")
    guard bytes.count <= limit else {
      throw bytes.error(code, "expected at most \(limit) bytes of JSON, found \(bytes.count)")
    }
    do {
      return try decode(type, bytes.array)
    } catch let error as DecodingError {
      throw bytes.error(code, sentence(error))
    } catch {
      throw bytes.error(code, "the file is no JSON")
    }
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }

  private static func sentence(_ error: DecodingError) -> String {
    if let sentence = error.sentence { return sentence }
    if case .dataCorrupted = error { return "the file is no JSON" }
    return "the file is no JSON of the expected form"
  }
}
