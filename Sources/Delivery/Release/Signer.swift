import Foundation

/// A signer of documents: a local key (``SigningKey``), or a program with access to a key (``CommandSigner``).
public protocol DocumentSigner: Sendable {
  /// The key that verifies the signatures.
  var publicKey: PublicKey { get }
  /// Returns the Ed25519 signature (RFC 8032) of exactly these bytes.
  func signature(over message: Data) throws -> Data
}

extension DocumentSigner {
  /// Returns a signature after verifying it.
  ///
  /// - Throws: ``DeliveryError`` `wrongSignature` if the signer returned an invalid signature.
  func checkedSignature(over message: Data) throws -> Data {
    let signature = try signature(over: message)
    guard publicKey.isValid(signature, over: message) else {
      throw DeliveryError(
        .wrongSignature, "what was made to sign with key \(publicKey.id.prefix(16)) is no signature of that key")
    }
    return signature
  }
}
