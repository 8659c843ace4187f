import Foundation
import Testing

@testable import CoreMLDelivery

/// All rejections of signed documents, each with its own code and without stored data.
@Suite struct TrustTests {
  let folder: TemporaryFolder
  let keys: [SigningKey]

  init() throws {
    folder = try TemporaryFolder()
    keys = try (1...3).map { try Fixture.key($0) }
  }

  private func state(
    _ root: TrustRoot? = nil, _ policy: FreshnessPolicy = FreshnessPolicy(), signedBy signers: [SigningKey]? = nil
  ) throws -> TrustState {
    let root = root ?? Fixture.root([keys[0]])
    return try TrustState(
      directory: folder.url, initialRoot: Fixture.sign(root, signers ?? [keys[0]]), policy: policy)
  }

  private func refusal(_ envelope: SignedEnvelope, of state: TrustState, at now: Timestamp = Fixture.now)
    -> DeliveryError.Code?
  {
    Fixture.code { _ = try state.accept(manifest: envelope, channel: "stable", now: now) }
  }

  @Test func aManifestIsAcceptedAndKept() throws {
    let envelope = try Fixture.sign(Fixture.manifest(3), [keys[0]])
    let accepted = try state().accept(manifest: envelope, channel: "stable", now: Fixture.now)
    #expect(accepted.manifest.version == 3 && accepted.warnings.isEmpty)
    // Another process, later and offline.
    #expect(try state().kept(channel: "stable", now: Fixture.now)?.manifest == accepted.manifest)
    #expect(try state().kept(channel: "beta", now: Fixture.now) == nil)
    #expect(try folder.list("shop/channels/stable") == ["0-3.json"])
  }

  @Test func envelopesSurviveTheirFile() throws {
    let envelope = try Fixture.sign(Fixture.manifest(3), keys)
    #expect(try SignedEnvelope(envelope.encoded()) == envelope)
    #expect(try envelope.encoded() == Fixture.sign(Fixture.manifest(3), keys.reversed()).encoded())
  }

  @Test func everyTamperedByteIsRefused() throws {
    let envelope = try Fixture.sign(Fixture.manifest(3), [keys[0]])
    let state = try state()
    for index in envelope.payload.indices {
      var payload = envelope.payload
      payload[index] ^= 1
      let forged = SignedEnvelope(
        payloadType: envelope.payloadType, payload: payload, signatures: envelope.signatures)
      #expect(refusal(forged, of: state) == .wrongSignature)
    }
    #expect(try folder.list().isEmpty)
  }

  @Test func oneDocumentDoesNotPassForAnother() throws {
    let root = try Fixture.sign(Fixture.root([keys[0]]), [keys[0]])
    #expect(refusal(root, of: try state()) == .malformedEnvelope)
    let relabelled = SignedEnvelope(
      payloadType: ReleaseManifest.payloadType, payload: root.payload, signatures: root.signatures)
    #expect(refusal(relabelled, of: try state()) == .wrongSignature)
  }

  @Test func unknownKeysAndThresholds() throws {
    let state = try state(Fixture.root([keys[0], keys[1]], threshold: 2), signedBy: [keys[0], keys[1]])
    #expect(refusal(try Fixture.sign(Fixture.manifest(1), [keys[2]]), of: state) == .unknownKey)
    #expect(refusal(try Fixture.sign(Fixture.manifest(1), []), of: state) == .unknownKey)
    #expect(refusal(try Fixture.sign(Fixture.manifest(1), [keys[0], keys[2]]), of: state) == .thresholdNotMet)
    // Two signatures of one key count once.
    let once = try Fixture.sign(Fixture.manifest(1), [keys[0]])
    let twice = SignedEnvelope(
      payloadType: once.payloadType, payload: once.payload, signatures: once.signatures + once.signatures)
    #expect(refusal(twice, of: state) == .thresholdNotMet)
    #expect(refusal(try Fixture.sign(Fixture.manifest(1), [keys[0], keys[1], keys[2]]), of: state) == nil)
  }

  @Test func aReplayedManifestIsRefused() throws {
    let old = try Fixture.sign(Fixture.manifest(4), [keys[0]])
    let new = try Fixture.sign(Fixture.manifest(5), [keys[0]])
    _ = try state().accept(manifest: old, channel: "stable", now: Fixture.now)
    _ = try state().accept(manifest: new, channel: "stable", now: Fixture.now)
    #expect(refusal(old, of: try state()) == .rollback)
    #expect(refusal(new, of: try state()) == nil)
    // A file of the state counts by its name even if its content is damaged.
    try folder.write("nothing", to: "shop/channels/stable/0-5.json")
    #expect(refusal(old, of: try state()) == .rollback)
    #expect(refusal(new, of: try state()) == nil)
    #expect(try state().kept(channel: "stable", now: Fixture.now)?.manifest.version == 5)
  }

  @Test func twoManifestsOfOneVersionAreRefused() throws {
    let first = Fixture.manifest(4)
    var second = first
    second.blocked[String(repeating: "a", count: 64)] = "other"
    _ = try state().accept(manifest: Fixture.sign(first, [keys[0]]), channel: "stable", now: Fixture.now)
    #expect(refusal(try Fixture.sign(second, [keys[0]]), of: try state()) == .equivocation)
  }

  @Test func expiryGraceAndClocks() throws {
    let envelope = try Fixture.sign(Fixture.manifest(1), [keys[0]])
    let expiry = Fixture.manifest(1).expires
    func warnings(_ now: Timestamp) throws -> [DeliveryWarning.Code] {
      try state().accept(manifest: envelope, channel: "stable", now: now).warnings.map(\.code)
    }
    #expect(try warnings(expiry).isEmpty)
    #expect(try warnings(expiry.advanced(by: 1)) == [.expired])
    #expect(try warnings(expiry.advanced(by: 7 * Fixture.day)) == [.expired])
    #expect(refusal(envelope, of: try state(), at: expiry.advanced(by: 7 * Fixture.day + 1)) == .expired)
    #expect(refusal(envelope, of: try state(nil, .strict), at: expiry.advanced(by: 1)) == .expired)
    // A clock that is behind causes warnings only. Root and manifest both seem to be signed in the future.
    #expect(try warnings(Timestamp(seconds: 0)) == [.clockBehind, .clockBehind])
    // The same offline.
    let late = expiry.advanced(by: 8 * Fixture.day)
    #expect(Fixture.code { _ = try state().kept(channel: "stable", now: late) } == .expired)
  }

  @Test func otherChannelsAndRepositoriesAreRefused() throws {
    let beta = try Fixture.sign(Fixture.manifest(1, channel: "beta"), [keys[0]])
    #expect(refusal(beta, of: try state()) == .mixAndMatch)
    var foreign = Fixture.manifest(1)
    foreign.repository = "elsewhere"
    #expect(refusal(try Fixture.sign(foreign, [keys[0]]), of: try state()) == .mixAndMatch)
  }

  @Test func filesSwappedBetweenReleasesAreRefused() throws {
    func variant(_ letter: Character) -> Variant {
      let digest = String(repeating: letter, count: 64)
      let encoding = ShippedFile.Encoding(kind: .raw, object: digest, size: 1)
      return Variant(
        name: "default", form: .mlmodel,
        files: [ShippedFile(path: "model.mlmodel", size: 1, sha256: digest, encodings: [encoding])])
    }
    var mixed = variant("a")
    mixed.files = variant("b").files
    var manifest = Fixture.manifest(1)
    manifest.models["m"] = ModelRecord(releases: [
      Release(
        number: 1, version: "1", state: .active, rollout: Rollout(id: "r", percentage: 100), created: Fixture.now,
        variants: [mixed])
    ])
    // Signed anyway, as by a faulty publishing tool.
    var envelope = SignedEnvelope(
      payloadType: ReleaseManifest.payloadType, payload: try DocumentJSON.encode(manifest))
    try envelope.sign(with: keys[0])
    #expect(refusal(envelope, of: try state()) == .mixAndMatch)
  }

  @Test func hugeAndMalformedDocumentsAreRefused() throws {
    let huge = Data(repeating: UInt8(ascii: "["), count: SignedEnvelope.sizeLimit + 1)
    #expect(Fixture.code { _ = try SignedEnvelope(huge) } == .oversizedDocument)
    #expect(
      Fixture.code { _ = try SignedEnvelope(Data(repeating: UInt8(ascii: "["), count: 1 << 20)) } == .malformedEnvelope)
    #expect(Fixture.code { _ = try SignedEnvelope(Data("{}".utf8)) } == .malformedEnvelope)
    let envelope = try Fixture.sign(Fixture.manifest(1), [keys[0]])
    let many = SignedEnvelope(
      payloadType: envelope.payloadType, payload: envelope.payload,
      signatures: Array(repeating: try #require(envelope.signatures.first), count: 65))
    #expect(Fixture.code { _ = try SignedEnvelope(many.encoded()) } == .malformedEnvelope)
    for path in ["/etc/passwd", "../x", "a//b", "a/../../b", ""] {
      let file = ShippedFile(path: path, size: 0, sha256: String(repeating: "a", count: 64), encodings: [])
      var manifest = Fixture.manifest(1)
      let variant = Variant(name: "default", form: .mlmodel, files: [file])
      manifest.models["m"] = ModelRecord(releases: [
        Release(
          number: 1, version: "1", state: .active, rollout: Rollout(id: "r", percentage: 1), created: Fixture.now,
          variants: [variant])
      ])
      #expect(Fixture.code { try manifest.validate() } == .malformedManifest)
    }
  }

  @Test func rootsRotateAndFloorsFreeAChannel() throws {
    let first = try Fixture.sign(Fixture.root([keys[0]]), [keys[0]])
    var state = try TrustState(directory: folder.url, initialRoot: first)
    // A thief with the key has used up the version numbers.
    _ = try state.accept(
      manifest: Fixture.sign(Fixture.manifest(9_000_000), [keys[0]]), channel: "stable", now: Fixture.now)
    let next = Fixture.root([keys[1]], version: 2, floors: ["stable": .init(version: 10, since: 2)])
    #expect(Fixture.code { try state.accept(root: Fixture.sign(next, [keys[1]])) } == .unknownKey)
    #expect(Fixture.code { try state.accept(root: Fixture.sign(next, [keys[0]])) } == .unknownKey)
    var skipped = next
    skipped.version = 3
    skipped.floors = nil
    #expect(Fixture.code { try state.accept(root: Fixture.sign(skipped, [keys[0], keys[1]])) } == .brokenRootChain)
    try state.accept(root: Fixture.sign(next, [keys[0], keys[1]]))
    #expect(state.root == next)

    // A process that starts later with the first root uses the second one.
    let later = try TrustState(directory: folder.url, initialRoot: first)
    #expect(later.root == next)
    #expect(refusal(try Fixture.sign(Fixture.manifest(9_000_001), [keys[0]]), of: later) == .unknownKey)
    #expect(refusal(try Fixture.sign(Fixture.manifest(9), [keys[1]]), of: later) == .rollback)
    #expect(refusal(try Fixture.sign(Fixture.manifest(11), [keys[1]]), of: later) == nil)
    #expect(refusal(try Fixture.sign(Fixture.manifest(10), [keys[1]]), of: later) == .rollback)
    // The next root must keep the floor.
    var third = Fixture.root([keys[1]], version: 3)
    #expect(Fixture.code { _ = try next.next(Fixture.sign(third, [keys[1]])) } == .brokenRootChain)
    third.floors = next.floors
    #expect(try next.next(Fixture.sign(third, [keys[1]])) == third)
  }

  @Test func keyFilesAreForTheirOwnerAlone() throws {
    let file = folder.url.appending(path: "a.key")
    try keys[0].write(to: file)
    #expect(try SigningKey(file: file).publicKey == keys[0].publicKey)
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    #expect(Fixture.code { try keys[1].write(to: file) } == .unwritable)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    #expect(Fixture.code { _ = try SigningKey(file: file) } == .badKey)
  }
}
