import Foundation
import Testing

@testable import CoreMLDelivery

/// Keys by role: who needs which keys, and rotations that lock nobody out.
@Suite struct RoleTests {
  let folder: TemporaryFolder
  let keys: [SigningKey]

  init() throws {
    folder = try TemporaryFolder()
    keys = try (1...6).map { try Fixture.key($0) }
  }

  /// Key 0 signs roots and is not in the folder; keys 1 and 2 sign releases, key 3 signs freshness statements.
  private func publisher(threshold: Int = 1, freshness: Bool = false) throws -> Publisher {
    let publisher = try Publisher.create(
      at: folder.url.appending(path: "shop"), settings: .init(repository: "shop"),
      roles: InitialRoles(
        root: [keys[0]], release: keys[1...2].map(\.publicKey), releaseThreshold: threshold,
        freshness: freshness ? [keys[3].publicKey] : []), now: Fixture.now)
    for key in keys[1...2] { try key.write(to: publisher.keyFile(of: key.publicKey, for: .release)) }
    try publisher.edit("stable") { _ in }
    return publisher
  }

  @Test func theRootKeyIsNeededForRootsAlone() throws {
    let publisher = try publisher()
    #expect(try publisher.keys().count == 2)
    #expect(Fixture.code { _ = try publisher.keys(for: .root) } == .badKey)
    #expect(try publisher.sign("stable", with: publisher.keys()).isPublished)
    #expect(try publisher.verify().isEmpty)
    #expect(try publisher.collectGarbage().paths.isEmpty)
    // A release key is not a root key, and vice versa.
    let held: Set = [keys[0].publicKey.id]
    #expect(Fixture.code { _ = try publisher.changeRoot(with: [keys[1]], held: held) { _ in } } == .unknownKey)
    #expect(Fixture.code { _ = try publisher.sign("stable", with: [keys[0]]) } == .unknownKey)
    #expect(try publisher.rotate(with: [keys[0]]) { _ in }.version == 2)
    #expect(try publisher.verify().isEmpty)
  }

  /// A rotation interrupted between its two writes has published a root. Devices may have it, so the next rotation
  /// continues from it.
  @Test func aRootThatWasPublishedIsNeverReplaced() throws {
    let publisher = try publisher()
    let before = try Data(contentsOf: publisher.files.rootFile)
    _ = try publisher.rotate(with: [keys[0], keys[4]]) { root in
      root.keys[keys[4].publicKey.id] = keys[4].publicKey
      root.roles.root.keys = [keys[4].publicKey.id]
    }
    let second = publisher.host.appending(path: "root/2.json")
    let published = try Data(contentsOf: second)
    // Simulates a kill or a full disk between the writes.
    try before.write(to: publisher.files.rootFile)
    #expect(try publisher.root().version == 2)
    #expect(Fixture.code { _ = try publisher.rotate(with: [keys[0]]) { _ in } } != nil)
    #expect(try publisher.rotate(with: [keys[4]]) { _ in }.version == 3)
    #expect(try Data(contentsOf: second) == published)
    #expect(try publisher.verify().isEmpty)
    try before.write(to: publisher.files.rootFile)
    #expect(try publisher.sign("stable", with: publisher.keys()).isPublished)
    #expect(try publisher.verify().isEmpty)
  }

  @Test func aFreshnessKeyHasNoOtherRole() throws {
    #expect(
      Fixture.code {
        _ = try Publisher.create(
          at: folder.url.appending(path: "shop"), settings: .init(repository: "shop"),
          roles: InitialRoles(root: [keys[0]], release: [keys[1].publicKey], freshness: [keys[1].publicKey]),
          now: Fixture.now)
      } == .malformedManifest)
    var root = Fixture.root([keys[0]])
    root.roles.freshness = root.roles.root
    #expect(Fixture.code { try root.validate() } == .malformedManifest)
  }

  @Test func rootsOfVersion01AreReadAndGoOn() throws {
    let cases = Samples.checkout.appending(path: "Tests/Cases/publisher-0.1")
    let shop = folder.url.appending(path: "old")
    try FileManager.default.copyItem(at: cases, to: shop)
    for name in try FileManager.default.contentsOfDirectory(atPath: shop.appending(path: "keys").path) {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: shop.appending(path: "keys/\(name)").path)
    }
    let now = try #require(Timestamp("2026-11-03T00:00:00Z"))
    var state = try TrustState(
      directory: folder.url.appending(path: "state"),
      initialRoot: SignedEnvelope(Data(contentsOf: shop.appending(path: "public/root/1.json"))), policy: .strict)
    try state.accept(root: SignedEnvelope(Data(contentsOf: shop.appending(path: "public/root/2.json"))))
    let manifest = try SignedEnvelope(Data(contentsOf: shop.appending(path: "public/channels/stable.json")))
    let accepted = try state.accept(manifest: manifest, channel: "stable", now: now)
    #expect(accepted.manifest.version == 2 && accepted.warnings.isEmpty && state.root.roles.freshness == nil)
    // Serialized again, the root has the same bytes.
    let root = try SignedEnvelope(Data(contentsOf: shop.appending(path: "public/root/2.json")))
    #expect(try DocumentJSON.encode(root.document(TrustRoot.self)) == root.payload)

    let publisher = try Publisher(folder: shop, now: now)
    let signers = try publisher.keys()
    #expect(signers.count == 2)
    #expect(try publisher.sign("stable", with: signers).isPublished)
    // Separates the roles: a root key stored elsewhere, and a freshness key.
    let next = try publisher.rotate(with: publisher.keys(for: .root) + [keys[0]]) { root in
      root.keys[keys[0].publicKey.id] = keys[0].publicKey
      root.keys[keys[3].publicKey.id] = keys[3].publicKey
      root.roles.root = .init(keys: [keys[0].publicKey.id], threshold: 1)
    }
    try state.accept(root: SignedEnvelope(Data(contentsOf: shop.appending(path: "public/root/3.json"))))
    #expect(state.root == next)
    #expect(Fixture.code { _ = try publisher.keys(for: .root) } == .badKey)
    #expect(try publisher.sign("stable", with: publisher.keys()).isPublished)
  }

  @Test func noChangeLocksThePublisherOut() throws {
    let publisher = try publisher()
    let before = try Data(contentsOf: publisher.files.rootFile)
    func code(held: Set<String> = [], _ change: (inout TrustRoot) -> Void) -> DeliveryError.Code? {
      Fixture.code { _ = try publisher.changeRoot(with: [keys[0]], held: held, change) }
    }
    // Three release keys must sign, but the third one is not known to be available.
    func addThird(_ root: inout TrustRoot) {
      root.keys[keys[4].publicKey.id] = keys[4].publicKey
      root.roles.release = .init(keys: Set([keys[1], keys[2], keys[4]].map(\.publicKey.id)), threshold: 3)
    }
    #expect(code(addThird) == .cannotPublish)
    // An unavailable key replaces all release keys.
    #expect(
      code { root in
        root.keys[keys[4].publicKey.id] = keys[4].publicKey
        root.roles.release = .init(keys: [keys[4].publicKey.id], threshold: 1)
      } == .cannotPublish)
    // An unavailable key replaces the root key; then the freshness role gets an unavailable key.
    #expect(
      code { root in
        root.keys[keys[4].publicKey.id] = keys[4].publicKey
        root.roles.root = .init(keys: [keys[4].publicKey.id], threshold: 1)
      } == .cannotPublish)
    #expect(
      code { root in
        root.keys[keys[3].publicKey.id] = keys[3].publicKey
        root.roles.freshness = .init(keys: [keys[3].publicKey.id], threshold: 1)
      } == .cannotPublish)
    // A role without keys.
    #expect(code { $0.roles.release = .init(keys: [], threshold: 1) } == .cannotPublish)
    #expect(try Data(contentsOf: publisher.files.rootFile) == before)
    #expect(!FileManager.default.fileExists(atPath: publisher.files.pendingRootFile.path))
    // With `held`, the caller states that the key is available.
    #expect(code(held: [keys[4].publicKey.id], addThird) == nil)
    #expect(try publisher.root().version == 2)
  }

  @Test func aTrialChangesNothing() throws {
    let publisher = try publisher()
    let before = try FileManager.default.subpathsOfDirectory(atPath: publisher.folder.path)
    let change = try publisher.changeRoot(with: [keys[0]], dryRun: true) { $0.roles.release.threshold = 2 }
    #expect(change.isComplete && !change.isPublished && change.root.version == 2)
    #expect(try publisher.root().version == 1)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: publisher.folder.path) == before)
  }

  @Test func aRootWaitsForTheHandsOfOthers() throws {
    let publisher = try publisher()
    let other = keys[5].publicKey
    let first = try publisher.changeRoot(with: [keys[0]], held: [other.id]) { root in
      root.keys[other.id] = other
      root.roles.root = .init(keys: [keys[0].publicKey.id, other.id], threshold: 2)
    }
    #expect(!first.isPublished && first.signatures == (old: 1, new: 1) && first.thresholds == (old: 1, new: 2))
    #expect(try publisher.root().version == 1)
    #expect(Fixture.code { _ = try publisher.signRoot(with: [keys[1]]) } == .unknownKey)
    #expect(try publisher.signRoot(with: [keys[5]]).isPublished)
    #expect(try publisher.root().roles.root.threshold == 2)
    #expect(Fixture.code { _ = try publisher.signRoot(with: [keys[5]]) } == .cannotPublish)
    // From now on one key is not sufficient, and a root with one signature is not published.
    #expect(Fixture.code { try publisher.rotate(with: [keys[0]]) { _ in } } == .cannotPublish)
    #expect(try !publisher.changeRoot(with: [keys[0]], held: [other.id]) { _ in }.isPublished)
    #expect(!FileManager.default.fileExists(atPath: publisher.host.appending(path: "root/3.json").path))
  }

  @Test func removedKeysArePassedOver() throws {
    let publisher = try publisher()
    try publisher.rotate(with: [keys[0]]) { root in
      root.keys[keys[1].publicKey.id] = nil
      root.roles.release.keys.remove(keys[1].publicKey.id)
    }
    // The file of the removed key is still in the folder.
    #expect(try publisher.keyFiles().count == 2)
    #expect(try publisher.keys().map(\.publicKey) == [keys[2].publicKey])
    #expect(try publisher.sign("stable", with: publisher.keys()).isPublished)
    // Signing with it explicitly is rejected.
    #expect(Fixture.code { _ = try publisher.sign("stable", with: [keys[1]]) } == .unknownKey)
  }
}
