import CoreMLBase
import Foundation

/// How documents that are signed are written and read: JSON, always the same bytes for the same value.
enum DocumentJSON {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(value)
    } catch {
      throw DeliveryError(.malformedManifest, "the document cannot be written: a number in it is not finite")
    }
  }

  /// - Parameter document: what the bytes should be, for the message.
  static func decode<Value: Decodable>(
    _ type: Value.Type, _ data: Data, _ code: DeliveryError.Code, document: String
  ) throws -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch let error as DecodingError {
      throw DeliveryError(code, "the \(document) cannot be read: \(sentence(error))")
    } catch let error as DeliveryError {
      throw error
    } catch {
      throw DeliveryError(code, "the \(document) is no JSON")
    }
  }

  private static func sentence(_ error: DecodingError) -> String {
    if let sentence = error.sentence { return sentence }
    guard case .dataCorrupted(let context) = error, !context.codingPath.isEmpty else {
      return "it is no JSON of the expected form"
    }
    return "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
  }
}

/// What is signed, and how it is named in its envelope.
protocol SignedDocument: Codable, Sendable {
  static var payloadType: String { get }
  /// For messages: "release manifest".
  static var documentName: String { get }
  /// Throws ``DeliveryError`` when the document contradicts itself.
  func validate() throws
}
