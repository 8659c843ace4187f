import Foundation
import Testing

@testable import CoreMLDelivery

/// Lifetimes of documents, and attacks by a host that withholds newer documents.
@Suite struct FreshnessTests {
  let folder: TemporaryFolder
  let keys: [SigningKey]

  init() throws {
    folder = try TemporaryFolder()
    keys = try (1...4).map { try Fixture.key($0) }
  }

  /// Key 0 signs roots and releases; key 1 signs freshness statements.
  private func root(_ version: Int = 1, created: Timestamp = Fixture.now, asks: Bool = true) -> TrustRoot {
    var root = Fixture.root([keys[0]], version: version)
    root.created = created
    root.expires = created.advanced(by: 700 * Fixture.day)
    root.keys[keys[1].publicKey.id] = keys[1].publicKey
    if asks { root.roles.freshness = .init(keys: [keys[1].publicKey.id], threshold: 1) }
    return root
  }

  private func state(_ root: TrustRoot, _ policy: FreshnessPolicy = FreshnessPolicy()) throws -> TrustState {
    try TrustState(directory: folder.url, initialRoot: Fixture.sign(root, [keys[0]]), policy: policy)
  }

  private func manifest(_ version: Int, created: Timestamp = Fixture.now, days: Int64 = 30) throws -> SignedEnvelope {
    var manifest = Fixture.manifest(version, created: created)
    manifest.expires = created.advanced(by: days * Fixture.day)
    return try Fixture.sign(manifest, [keys[0]])
  }

  private func statement(
    _ manifest: SignedEnvelope, root: Int = 1, created: Timestamp = Fixture.now, hours: Int64 = 48,
    channel: String = "stable", by signer: SigningKey? = nil
  ) throws -> SignedEnvelope {
    let statement = FreshnessStatement(
      repository: "shop", channel: channel, created: created, expires: created.advanced(by: hours * 3600),
      manifest: try manifest.document(ReleaseManifest.self).version,
      sha256: FreshnessStatement.digest(manifest.payload), root: root)
    return try Fixture.sign(statement, [signer ?? keys[1]])
  }

  private func after(_ days: Int64) -> Timestamp { Fixture.now.advanced(by: days * Fixture.day) }

  // MARK: time

  @Test func theTimeOfTheRootHoldsForManifests() throws {
    // The root is from June 2027, the manifest expired in December 2026, and the device clock is in November 2026.
    let clock = try #require(Timestamp("2026-11-22T00:00:00Z"))
    let old = try manifest(1, created: try #require(Timestamp("2026-11-15T00:00:00Z")), days: 20)
    let first = root(created: try #require(Timestamp("2026-11-01T00:00:00Z")), asks: false)
    var state = try state(first)
    #expect(try state.accept(manifest: old, channel: "stable", now: clock).warnings.isEmpty)
    let next = root(2, created: try #require(Timestamp("2027-06-15T00:00:00Z")), asks: false)
    try state.accept(root: Fixture.sign(next, [keys[0]]))
    #expect(Fixture.code { _ = try state.accept(manifest: old, channel: "stable", now: clock) } == .expired)
    #expect(Fixture.code { _ = try state.kept(channel: "stable", now: clock) } == .expired)
  }

  @Test func theTimeOfOneChannelHoldsForTheOthers() throws {
    let state = try state(root(asks: false))
    let late = try manifest(1, created: after(60))
    #expect(try state.accept(manifest: late, channel: "stable", now: after(60)).warnings.isEmpty)
    let beta = try Fixture.sign(Fixture.manifest(1, channel: "beta"), [keys[0]])
    // The clock was set back. Known signing times are still in the past.
    #expect(Fixture.code { _ = try state.accept(manifest: beta, channel: "beta", now: after(1)) } == .expired)
    #expect(try state.kept(channel: "stable", now: after(1))?.warnings.map(\.code) == [.clockBehind])
  }

  @Test func whoSignedInTheNameOfTheFutureLosesThatWithTheKey() throws {
    var state = try state(root(asks: false))
    // A thief signs with the latest time that the root permits.
    let future = after(690)
    _ = try state.accept(manifest: manifest(9, created: future), channel: "stable", now: Fixture.now)
    #expect(Fixture.code { _ = try state.accept(manifest: manifest(10), channel: "stable", now: after(1)) } == .expired)
    // A time after the expiry of the root is rejected.
    #expect(
      Fixture.code {
        _ = try state.accept(manifest: manifest(11, created: after(800)), channel: "stable", now: after(1))
      } == .expired)
    var next = Fixture.root([keys[2]], version: 2, floors: ["stable": .init(version: 1, since: 2)])
    next.created = after(2)
    try state.accept(root: Fixture.sign(next, [keys[0], keys[2]]))
    let healed = try Fixture.sign(Fixture.manifest(1, created: after(2)), [keys[2]])
    #expect(try state.accept(manifest: healed, channel: "stable", now: after(2)).warnings.isEmpty)
  }

  @Test func noManifestIsBelievedForLongerThanTheDeviceWants() throws {
    let state = try state(root(asks: false))
    let years = try manifest(1, days: 3650)
    #expect(try state.accept(manifest: years, channel: "stable", now: after(90)).warnings.isEmpty)
    #expect(try state.kept(channel: "stable", now: after(91))?.warnings.map(\.code) == [.expired])
    #expect(Fixture.code { _ = try state.kept(channel: "stable", now: after(98)) } == .expired)
    let patient = try self.state(root(asks: false), FreshnessPolicy(manifestLifetime: 400 * Fixture.day))
    #expect(try patient.kept(channel: "stable", now: after(399))?.warnings.isEmpty == true)
  }

  // MARK: statements

  @Test func aStatementIsNeededWhereTheRootAsksForIt() throws {
    let state = try state(root())
    let one = try manifest(1)
    func code(_ statement: SignedEnvelope?, at now: Timestamp) -> DeliveryError.Code? {
      Fixture.code { _ = try state.accept(manifest: one, freshness: statement, channel: "stable", now: now) }
    }
    #expect(code(nil, at: after(2)) == .stale)
    #expect(code(try statement(one, by: keys[0]), at: after(1)) == .unknownKey)
    #expect(code(try statement(one, channel: "beta"), at: after(1)) == .mixAndMatch)
    #expect(code(try manifest(1), at: after(1)) == .unknownKey)
    #expect(try folder.list().isEmpty)
    let good = try state.accept(manifest: one, freshness: statement(one), channel: "stable", now: after(1))
    #expect(good.warnings.isEmpty)
    // The last statement is valid until it expires, then with a warning for one day, then not at all.
    #expect(try state.kept(channel: "stable", now: after(2))?.warnings.isEmpty == true)
    #expect(try state.kept(channel: "stable", now: after(3))?.warnings.map(\.code) == [.stale])
    #expect(Fixture.code { _ = try state.kept(channel: "stable", now: after(4)) } == .stale)
    #expect(code(nil, at: after(4)) == .stale)
    let warns = try self.state(root(), FreshnessPolicy(statementGrace: .max))
    #expect(try warns.kept(channel: "stable", now: after(20))?.warnings.map(\.code) == [.stale])
    // An old statement is not sufficient; a new one is.
    #expect(code(try statement(one), at: after(5)) == .stale)
    #expect(code(try statement(one, created: after(5)), at: after(5)) == nil)
    // The lifetime that a statement claims is limited by the policy.
    #expect(code(try statement(one, created: after(6), hours: 24 * 300), at: after(6)) == nil)
    #expect(code(nil, at: after(22)) == .stale)
  }

  @Test func whatIsHeldBackIsNoticed() throws {
    var state = try state(root())
    let (one, two) = (try manifest(1), try manifest(2, created: after(1)))
    _ = try state.accept(manifest: one, freshness: statement(one), channel: "stable", now: Fixture.now)
    // The host keeps serving the first manifest with the newest statement.
    let word = try statement(two, created: after(1))
    #expect(
      Fixture.code { _ = try state.accept(manifest: one, freshness: word, channel: "stable", now: after(1)) }
        == .withheld)
    #expect(Fixture.code { _ = try state.kept(channel: "stable", freshness: word, now: after(1)) } == .withheld)
    // A manifest newer than the statement is accepted.
    #expect(try state.accept(manifest: two, freshness: nil, channel: "stable", now: after(1)).manifest.version == 2)
    // Another manifest with the same version is rejected.
    let other = try Fixture.sign(Fixture.manifest(2), [keys[0]])
    let fresh = try TrustState(
      directory: folder.url.appending(path: "other"), initialRoot: Fixture.sign(root(), [keys[0]]))
    #expect(
      Fixture.code { _ = try fresh.accept(manifest: other, freshness: word, channel: "stable", now: after(1)) }
        == .equivocation)
    // The host withholds the next root.
    let second = try statement(two, root: 2, created: after(2))
    #expect(
      Fixture.code { _ = try state.accept(manifest: two, freshness: second, channel: "stable", now: after(2)) }
        == .withheld)
    var next = root(2, created: after(2))
    next.keys[keys[2].publicKey.id] = keys[2].publicKey
    try state.accept(root: Fixture.sign(next, [keys[0]]))
    #expect(try state.accept(manifest: two, freshness: second, channel: "stable", now: after(2)).warnings.isEmpty)
  }

  @Test func aStolenFreshnessKeyMovesNothing() throws {
    let state = try state(root())
    let one = try manifest(1)
    _ = try state.accept(manifest: one, freshness: statement(one), channel: "stable", now: Fixture.now)
    // At a time years ahead the manifest has expired, so nothing is stored and the known signing time does not advance.
    let ahead = try statement(one, created: after(300))
    #expect(
      Fixture.code { _ = try state.accept(manifest: one, freshness: ahead, channel: "stable", now: after(1)) }
        == .expired)
    #expect(try state.kept(channel: "stable", now: after(1))?.warnings.isEmpty == true)
    // The freshness key can sign neither roots nor manifests.
    let forged = try Fixture.sign(Fixture.manifest(2), [keys[1]])
    #expect(
      Fixture.code { _ = try state.accept(manifest: forged, freshness: nil, channel: "stable", now: after(1)) }
        == .unknownKey)
    var copy = state
    #expect(Fixture.code { try copy.accept(root: Fixture.sign(root(2), [keys[1]])) } == .unknownKey)
  }

  @Test func publishersFreshenAndDevicesNoticeWhatIsHeldBack() async throws {
    let bench = try ChannelBench()
    let channel = try bench.channel()
    try bench.publish(1)
    try await channel.update()
    // The next root adds the role.
    let (old, fresh) = (try Fixture.key(1), keys[3])
    #expect(Fixture.code { try bench.shop.freshen("stable", with: [fresh]) } == .cannotPublish)
    try bench.shop.rotate(with: [old, fresh]) { root in
      root.keys[fresh.publicKey.id] = fresh.publicKey
      root.roles.freshness = .init(keys: [fresh.publicKey.id], threshold: 1)
    }
    #expect(Fixture.code { try bench.shop.freshen("stable", with: [old]) } == .unknownKey)
    #expect(Fixture.code { try bench.shop.freshen("beta", with: [fresh]) } == .cannotPublish)
    try bench.shop.freshen("stable", with: [fresh])
    bench.now = bench.now.advanced(by: Fixture.day)
    // The device requests later roots once a day.
    #expect(try await channel.update().check.warnings.isEmpty)
    #expect(try bench.shop.verify().isEmpty)
    bench.now = bench.now.advanced(by: 3 * Fixture.day)
    #expect(await Fixture.code { try await channel.update() } == .stale)
    #expect(try bench.shop.verify().map(\.code) == [.stale])
    #expect(try channel.status().problem != nil)
    #expect(try channel.model("m").one() == 2)
    try bench.shop.freshen("stable", with: [fresh])
    #expect(try await channel.update().check.warnings.isEmpty)

    // The host withholds a new release. It cannot withhold the statement without detection.
    let manifest = bench.publisher.files.channelFile("stable")
    let before = try Data(contentsOf: manifest)
    try bench.publish(2)
    try bench.shop.freshen("stable", with: [fresh])
    let newest = try Data(contentsOf: manifest)
    try before.write(to: manifest)
    #expect(await Fixture.code { try await channel.update() } == .withheld)
    #expect(Fixture.code { try bench.shop.freshen("stable", with: [fresh]) } == .cannotPublish)
    try newest.write(to: manifest)
    try await channel.update()
    #expect(try channel.model("m").one() == 3)
  }
}
