import Crypto
import Foundation

/// A payload with signatures in the DSSE format (github.com/secure-systems-lab/dsse): JSON with the payload in base64.
///
/// The signatures cover the payload, its type and the lengths of both. So a document cannot be passed off as one of
/// another type.
public struct SignedEnvelope: Sendable, Equatable, Codable {
  /// A signature, with the key that it claims to be from.
  public struct Signature: Sendable, Equatable, Codable {
    /// The ``PublicKey/id`` of the claimed key.
    public let keyid: String
    /// The bytes of the Ed25519 signature.
    public let sig: Data

    /// Creates a signature of a key.
    public init(keyid: String, sig: Data) {
      self.keyid = keyid
      self.sig = sig
    }
  }

  /// The default limit on the size of an envelope, in bytes.
  public static let sizeLimit = 16 << 20
  /// The maximum number of signatures. Envelopes with more are rejected before any signature is verified.
  public static let signatureLimit = 64

  /// The type of the document; covered by the signatures.
  public let payloadType: String
  /// The exact bytes of the document.
  public let payload: Data
  /// The signatures, not necessarily valid.
  public internal(set) var signatures: [Signature]

  /// Creates an envelope for a payload; the signatures are not verified.
  public init(payloadType: String, payload: Data, signatures: [Signature] = []) {
    self.payloadType = payloadType
    self.payload = payload
    self.signatures = signatures
  }

  /// Parses an envelope, but not its payload.
  ///
  /// - Throws: ``DeliveryError`` `oversizedDocument`, `malformedEnvelope`.
  public init(_ bytes: Data, sizeLimit: Int = Self.sizeLimit) throws {
    guard bytes.count <= sizeLimit else {
      throw DeliveryError(
        .oversizedDocument, "expected a signed document of at most \(sizeLimit) bytes, found \(bytes.count)")
    }
    self = try DocumentJSON.decode(Self.self, bytes, .malformedEnvelope, document: "signed document")
    guard signatures.count <= Self.signatureLimit else {
      throw DeliveryError(
        .malformedEnvelope, "expected at most \(Self.signatureLimit) signatures, found \(signatures.count)")
    }
  }

  /// Returns the serialized envelope. Equal envelopes serialize to equal bytes, with a final line feed.
  public func encoded() throws -> Data { try DocumentJSON.encode(self) + Data("\n".utf8) }

  /// Returns the signed bytes: "DSSEv1", then the type and the payload, each preceded by its length.
  public static func preAuthenticationEncoding(payloadType: String, payload: Data) -> Data {
    Data("DSSEv1 \(payloadType.utf8.count) \(payloadType) \(payload.count) ".utf8) + payload
  }

  /// Adds a signature, or replaces the previous one of the same key. Signatures are sorted by key identifier.
  ///
  /// - Throws: ``DeliveryError``; `wrongSignature` if the signer returned an invalid signature. Nothing is added then.
  public mutating func sign(with key: any DocumentSigner) throws {
    let message = Self.preAuthenticationEncoding(payloadType: payloadType, payload: payload)
    let signature = Signature(keyid: key.publicKey.id, sig: try key.checkedSignature(over: message))
    signatures = (signatures.filter { $0.keyid != signature.keyid } + [signature]).sorted { $0.keyid < $1.keyid }
  }

  /// Verifies that enough keys of a role have signed; each key counts once. The payload is not parsed.
  ///
  /// - Parameter subject: the name of the document in error messages.
  /// - Throws: ``DeliveryError``. `wrongSignature` if too few signatures are valid and one by a trusted key is invalid.
  ///   `unknownKey` if no trusted key has signed. `thresholdNotMet` if too few trusted keys have signed.
  public func verify(by role: TrustRoot.Role, keys: [String: PublicKey], subject: String) throws {
    let message = Self.preAuthenticationEncoding(payloadType: payloadType, payload: payload)
    var valid: Set<String> = []
    var wrong: String?
    for signature in signatures where role.keys.contains(signature.keyid) && !valid.contains(signature.keyid) {
      guard let key = keys[signature.keyid] else { continue }
      if key.isValid(signature.sig, over: message) { valid.insert(key.id) } else { wrong = key.id }
    }
    if valid.count >= max(role.threshold, 1) { return }
    if let wrong {
      throw DeliveryError(.wrongSignature, "the signature of key \(wrong.prefix(16)) is not one over this \(subject)")
    }
    guard !valid.isEmpty else {
      throw DeliveryError(.unknownKey, "the \(subject) is signed by no key that is trusted for it")
    }
    throw DeliveryError(
      .thresholdNotMet,
      "the \(subject) needs the signatures of \(role.threshold) trusted keys and has those of \(valid.count)")
  }

  /// Returns the keys of a role with a valid signature.
  func signers(of role: TrustRoot.Role, keys: [String: PublicKey]) -> Set<String> {
    let message = Self.preAuthenticationEncoding(payloadType: payloadType, payload: payload)
    return Set(
      signatures.filter { role.keys.contains($0.keyid) && keys[$0.keyid]?.isValid($0.sig, over: message) == true }
        .map(\.keyid))
  }

  /// Decodes the document without verifying it. Only for documents that the caller just signed, and for roots to be
  /// verified with their own keys.
  func document<Document: SignedDocument>(_ type: Document.Type) throws -> Document {
    guard payloadType == Document.payloadType else {
      throw DeliveryError(
        .malformedEnvelope,
        "expected a \(Document.documentName) (\(Document.payloadType)), found '\(payloadType.prefix(80))'")
    }
    let document = try DocumentJSON.decode(
      Document.self, payload, .malformedManifest, document: Document.documentName)
    try document.validate()
    return document
  }

  static func unsigned<Document: SignedDocument>(_ document: Document) throws -> SignedEnvelope {
    try document.validate()
    return SignedEnvelope(payloadType: Document.payloadType, payload: try DocumentJSON.encode(document))
  }
}
