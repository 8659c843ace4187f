import CoreMLBase
import Foundation

/// Serialization of signed documents: JSON, with equal bytes for equal values.
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

  /// - Parameter document: the name of the expected document, for error messages.
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

/// A document that can be signed.
protocol SignedDocument: Codable, Sendable {
  static var payloadType: String { get }
  /// The name in error messages, such as "release manifest".
  static var documentName: String { get }
  /// Throws ``DeliveryError`` if the document is invalid.
  func validate() throws
}
