import Crypto
import Foundation

/// Exact bytes and the signatures over them, in the form of DSSE (github.com/secure-systems-lab/dsse): JSON with the payload in base64.
///
/// What is signed is not the payload alone but its type and both lengths with it, so that no document passes for one of another kind.
public struct SignedEnvelope: Sendable, Equatable, Codable {
  /// A signature, and whose it is said to be.
  public struct Signature: Sendable, Equatable, Codable {
    /// The ``PublicKey/id`` of the key that is said to have signed.
    public let keyid: String
    /// The bytes of the Ed25519 signature.
    public let sig: Data

    /// A signature that a key has made.
    public init(keyid: String, sig: Data) {
      self.keyid = keyid
      self.sig = sig
    }
  }

  /// The largest envelope that is read, in bytes, unless the caller says otherwise.
  public static let sizeLimit = 16 << 20
  /// More signatures than this are refused before any is checked.
  public static let signatureLimit = 64

  /// Which kind of document the payload is; signed with it.
  public let payloadType: String
  /// The exact bytes of the document.
  public let payload: Data
  /// The signatures; that they are here does not say that they hold.
  public internal(set) var signatures: [Signature]

  /// An envelope around a payload; the signatures are not checked.
  public init(payloadType: String, payload: Data, signatures: [Signature] = []) {
    self.payloadType = payloadType
    self.payload = payload
    self.signatures = signatures
  }

  /// Reads an envelope; its payload is not looked into.
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

  /// The envelope as a file: the same bytes for the same value, a line feed at the end.
  public func encoded() throws -> Data { try DocumentJSON.encode(self) + Data("\n".utf8) }

  /// What is signed: "DSSEv1", then type and payload, each with its length before it.
  public static func preAuthenticationEncoding(payloadType: String, payload: Data) -> Data {
    Data("DSSEv1 \(payloadType.utf8.count) \(payloadType) \(payload.count) ".utf8) + payload
  }

  /// Adds the signature of a key, in the place of one that it gave before; signatures are in the order of their keys.
  ///
  /// - Throws: ``DeliveryError``, `wrongSignature` when the signer has made something else: nothing is added then.
  public mutating func sign(with key: any DocumentSigner) throws {
    let message = Self.preAuthenticationEncoding(payloadType: payloadType, payload: payload)
    let signature = Signature(keyid: key.publicKey.id, sig: try key.checkedSignature(over: message))
    signatures = (signatures.filter { $0.keyid != signature.keyid } + [signature]).sorted { $0.keyid < $1.keyid }
  }

  /// Checks that enough keys of a role have signed; a key counts once. Nothing in the payload is parsed before this returns.
  ///
  /// - Parameter subject: what was signed, for messages.
  /// - Throws: ``DeliveryError`` `wrongSignature` when too few signatures hold and one by a trusted key does not, `unknownKey` when no
  ///   trusted key signed, `thresholdNotMet` when too few did.
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

  /// The keys of a role that have signed, with signatures that hold.
  func signers(of role: TrustRoot.Role, keys: [String: PublicKey]) -> Set<String> {
    let message = Self.preAuthenticationEncoding(payloadType: payloadType, payload: payload)
    return Set(
      signatures.filter { role.keys.contains($0.keyid) && keys[$0.keyid]?.isValid($0.sig, over: message) == true }
        .map(\.keyid))
  }

  /// The document within, unverified: for what the caller has just signed, and for a root that vouches for itself.
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
