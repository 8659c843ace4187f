import Foundation
import Testing

@testable import CoreMLDelivery

/// End-to-end attacks and mistakes of a host.
@Suite struct ChannelTrustTests {
  let bench: ChannelBench
  let manifest: URL

  init() throws {
    bench = try ChannelBench()
    manifest = bench.publisher.files.channelFile("stable")
  }

  @Test func anOldManifestIsRefused() async throws {
    let channel = try bench.channel()
    try bench.publish(1)
    try await channel.update()
    let old = try Data(contentsOf: manifest)
    try bench.publish(2)
    try await channel.update()
    try old.write(to: manifest)
    #expect(await Fixture.code { try await channel.update() } == .rollback)
    #expect(try channel.model("m").one() == 3)
    // A newly opened channel behaves the same.
    let again = try bench.channel()
    #expect(await Fixture.code { try await again.update() } == .rollback)
    #expect(try again.model("m").one() == 3)
  }

  @Test func aManifestHeldBackIsUsedWithAWarningForAWeek() async throws {
    let channel = try bench.channel()
    try bench.publish(1)
    try await channel.update()
    bench.now = bench.now.advanced(by: bench.publisher.settings.manifestLifetime + 3 * Fixture.day)
    #expect(try await channel.update().check.warnings.map(\.code) == [.expired])
    bench.now = bench.now.advanced(by: 7 * Fixture.day)
    #expect(await Fixture.code { try await channel.update() } == .expired)
    // Installed models keep working.
    #expect(try bench.channel().model("m").one() == 2)
    #expect(try channel.status().problem != nil)
    try bench.sign()
    #expect(try await channel.update().check.warnings.isEmpty)
  }

  @Test func whatBelongsElsewhereIsRefused() async throws {
    let channel = try bench.channel()
    try bench.publish(1)
    try await channel.update()
    // Another channel of the same repository is served instead.
    let shop = bench.shop
    try shop.addChannel("beta")
    _ = try shop.add(.init(model: "m", version: "9", source: Samples.small(9, in: bench.folder)), to: "beta")
    _ = try shop.sign("beta", with: shop.keys())
    let good = try Data(contentsOf: manifest)
    try Data(contentsOf: shop.files.channelFile("beta")).write(to: manifest)
    #expect(await Fixture.code { try await channel.update() } == .mixAndMatch)
    // A changed payload byte, a changed signature, another key.
    var envelope = try SignedEnvelope(good)
    envelope = SignedEnvelope(
      payloadType: envelope.payloadType, payload: envelope.payload + Data(" ".utf8), signatures: envelope.signatures)
    try envelope.encoded().write(to: manifest)
    #expect(await Fixture.code { try await channel.update() } == .wrongSignature)
    let stranger = try Fixture.sign(Fixture.manifest(99), [Fixture.key(9)])
    try stranger.encoded().write(to: manifest)
    #expect(await Fixture.code { try await channel.update() } == .unknownKey)
    try Data(repeating: 0x20, count: SignedEnvelope.sizeLimit + 1).write(to: manifest)
    #expect(await Fixture.code { try await channel.update() } == .tooLarge)
    try good.write(to: manifest)
    #expect(try await channel.update().failures.isEmpty)
  }

  @Test func anObjectWithOtherBytesIsNeverUnpacked() async throws {
    let channel = try bench.channel()
    try bench.publish(1)
    try await channel.update()
    let two = try bench.publish(2)
    let object = bench.publisher.files.objectFile(try #require(two.files.first?.smallest).object)
    var bytes = try Data(contentsOf: object)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: object)
    #expect(try await channel.update().failures["m"]?.code == .wrongDigest)
    #expect(try channel.model("m").one() == 2)
    // A transfer error does not count against the model.
    #expect(try channel.status().models.first?.blocked.isEmpty == true)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: object)
    #expect(try await channel.update().failures.isEmpty)
    #expect(try channel.model("m").one() == 3)
  }

  @Test func filesSwappedBetweenReleasesAtTheHostAreRefused() async throws {
    let channel = try bench.channel()
    // Random bytes are not compressible. Both files have equal sizes, so the size does not reveal the swap.
    func source(_ version: Int) throws -> URL {
      var state = UInt64(version)
      let noise = (0..<4000).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(state >> 56)
      }
      return try bench.folder.write(
        SmallModel.bytes(offset: Double(version), payload: noise), to: "swapped-\(version).mlmodel")
    }
    let variants = try (1...2).map { try bench.add($0, source: source($0)) }
    try bench.sign()
    let objects = try variants.map { try #require($0.files.first?.smallest).object }
    let files = objects.map { bench.publisher.files.objectFile($0) }
    let bytes = try files.map { try Data(contentsOf: $0) }
    #expect(bytes[0].count == bytes[1].count && bytes[0] != bytes[1])
    try bytes[0].write(to: files[1])
    try bytes[1].write(to: files[0])
    let update = try await channel.update()
    #expect(update.failures["m"]?.code == .wrongDigest && update.switches.isEmpty)
    #expect(try channel.model("m").version == .baseline)
    #expect(try channel.core.store.digests().isEmpty)
  }

  @Test func anotherHostStandsIn() async throws {
    let mirror = bench.folder.url.appending(path: "mirror", directoryHint: .isDirectory)
    try bench.publish(1)
    try FileManager.default.copyItem(at: bench.publisher.host, to: mirror)
    try bench.publish(2)
    let channel = try bench.channel { $0.hosts.append(mirror) }
    try await channel.update()
    try FileManager.default.removeItem(at: manifest)
    // The mirror is outdated, so its manifest is rejected. The error of the first host is reported.
    #expect(await Fixture.code { try await channel.update() } == .notFound)
    try FileManager.default.removeItem(at: mirror)
    try bench.publish(3)
    try FileManager.default.copyItem(at: bench.publisher.host, to: mirror)
    try FileManager.default.removeItem(at: manifest)
    try await channel.update()
    #expect(try channel.model("m").one() == 4)
  }

  @Test func keysChangeUnderADevice() async throws {
    let channel = try bench.channel()
    try bench.publish(1)
    try await channel.update()
    let (old, new) = (try Fixture.key(1), try Fixture.key(2))
    try bench.shop.rotate(with: [old, new]) { root in
      root = Fixture.root([new])
      root.floors = ["stable": TrustRoot.Floor(version: 1, since: 2)]
    }
    try bench.add(2)
    _ = try bench.shop.sign("stable", with: [new])
    try await channel.update()
    #expect(try channel.model("m").one() == 3)
    let stolen = try Fixture.sign(Fixture.manifest(9_000_000), [old])
    try stolen.encoded().write(to: manifest)
    #expect(await Fixture.code { try await channel.update() } == .unknownKey)
  }
}
