import Foundation

/// Whoever signs documents: a key that is here (``SigningKey``), or another program that holds one (``CommandSigner``).
public protocol DocumentSigner: Sendable {
  /// What the signatures are checked with.
  var publicKey: PublicKey { get }
  /// The Ed25519 signature (RFC 8032) over exactly these bytes.
  func signature(over message: Data) throws -> Data
}

extension DocumentSigner {
  /// The signature, once it has been found to be one.
  ///
  /// - Throws: ``DeliveryError`` `wrongSignature` when the signer has made something else.
  func checkedSignature(over message: Data) throws -> Data {
    let signature = try signature(over: message)
    guard publicKey.isValid(signature, over: message) else {
      throw DeliveryError(
        .wrongSignature, "what was made to sign with key \(publicKey.id.prefix(16)) is no signature of that key")
    }
    return signature
  }
}
