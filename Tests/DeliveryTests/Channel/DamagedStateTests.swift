import CoreMLRuntime
import Foundation
import Testing

@testable import CoreMLDelivery

/// Damaged records of a device: models remain usable, and the next update repairs the records.
@Suite struct DamagedStateTests {
  let bench: ChannelBench

  init() throws { bench = try ChannelBench() }

  /// Returns the records of names, trust and the channel, without models and compiled models.
  private func records() throws -> [String] {
    let device = bench.folder.url.appending(path: "device-a")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: device.path)
    return paths.filter { path in
      (path.hasPrefix("state/") || path.hasPrefix("data/coreml/models/"))
        && [".json", ".installed"].contains { path.hasSuffix($0) }
    }.sorted()
  }

  /// Copies the files of device `a` to another device and damages one of them.
  private func damage(_ record: String, _ kind: String, on device: String) throws {
    let folder = bench.folder.url
    try FileManager.default.copyItem(
      at: folder.appending(path: "device-a"), to: folder.appending(path: "device-\(device)"))
    let file = folder.appending(path: "device-\(device)/\(record)")
    var bytes = try Data(contentsOf: file)
    switch kind {
    case "cut": bytes = bytes.prefix(bytes.count / 2)
    case "empty": bytes = Data()
    default: bytes[bytes.count / 2] ^= 1
    }
    try bytes.write(to: file)
  }

  @Test(arguments: ["cut", "empty", "flipped"]) func theNextUpdateGoesOn(kind: String) async throws {
    try bench.publish(1)
    try await bench.channel().update()
    #expect(try bench.channel().model("m").one() == 2)
    let records = try records()
    #expect(records.contains { $0.hasSuffix(".installed") } && records.contains { $0.contains("trust/") })
    for (number, record) in records.enumerated() {
      try damage(record, kind, on: "\(kind)-\(number)")
      let model = try bench.channel("\(kind)-\(number)").model("m")
      #expect([1, 2].contains(try model.one()), "\(record)")
    }
    try bench.add(2)
    try bench.sign()
    for (number, record) in records.enumerated() {
      let channel = try bench.channel("\(kind)-\(number)")
      do {
        let update = try await channel.update()
        #expect(update.failures.isEmpty, "\(record): \(update.failures)")
        #expect(try channel.model("m").one() == 3, "\(record)")
      } catch { Issue.record("\(record): \(error)") }
    }
  }

  /// Also if the host responds that the manifest is not modified.
  @Test(arguments: ["cut", "empty", "flipped"]) func aManifestThatIsDamagedIsFetchedAgain(kind: String) async throws {
    try bench.publish(1)
    try await bench.channel().update()
    let manifest = try #require(try records().first { $0.contains("trust/") && $0.contains("channels/stable/") })
    try damage(manifest, kind, on: kind)
    let update = try await bench.channel(kind).update()
    #expect(update.failures.isEmpty && update.check.manifest.version == 1)
    let folder = bench.folder.url
    #expect(
      try Data(contentsOf: folder.appending(path: "device-\(kind)/\(manifest)"))
        == Data(contentsOf: folder.appending(path: "device-a/\(manifest)")))
  }

  @Test func aDeviceWhoseIdentifierIsLostGetsAnother() throws {
    let places = try bench.places()
    let first = try DeviceID.of(places)
    #expect(try DeviceID.of(places) == first)
    try Data("{".utf8).write(to: places.state.appending(path: "device.json"))
    let second = try DeviceID.of(places)
    #expect(second != first)
    #expect(try DeviceID.of(places) == second)
  }

  @Test func aNameWhoseRecordIsDamagedTakesAModelAgain() throws {
    let store = ModelStore(try bench.places())
    let cache = CompiledModelCache(directory: try bench.places().compiledModels, runtimeVersion: "1.4.0")
    let installer = ModelInstaller(store: store, cache: cache)
    try installer.install(Samples.small(1, in: bench.folder), as: "mine")
    try Data("{".utf8).write(to: store.names.file(of: "mine"))
    #expect(Fixture.code { _ = try store.active(name: "mine") } == .damagedRecord)
    let second = try installer.install(Samples.small(2, in: bench.folder), as: "mine")
    #expect(try store.active(name: "mine")?.digest == second.digest)
    let aside = try #require(store.damagedItems().last)
    #expect(try Data(contentsOf: aside) == Data("{".utf8))
    #expect(try store.activeNames() == ["mine"])
  }
}
