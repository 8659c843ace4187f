import CoreMLRuntime
import Foundation
import Testing

@testable import CoreMLDelivery

/// A device follows a channel: what it fetches, uses and rejects.
@Suite struct ChannelTests {
  let bench: ChannelBench

  init() throws { bench = try ChannelBench() }

  @Test func aDeviceStartsWithoutTheNetwork() async throws {
    let nowhere = bench.folder.url.appending(path: "nowhere")
    let offline = try bench.channel { $0.hosts = [nowhere] }
    #expect(try offline.model("m").version == .baseline)
    #expect(try offline.model("m").one() == 1)
    #expect(await Fixture.code { _ = try await offline.update() } == .notFound)
    #expect(Fixture.code { _ = try offline.model("other") } == .notOffered)

    try bench.publish(1)
    try await bench.channel().update()
    let watched = WatchedTransport()
    let later = try bench.channel(transport: watched) { $0.hosts = [nowhere] }
    #expect(try later.model("m").version.release?.release == 1)
    #expect(try later.model("m").one() == 2)
    #expect(watched.asked.isEmpty)
  }

  /// A transport that sends single bytes slowly.
  private struct Dripping: Transport {
    func response(to request: TransferRequest) async throws -> TransferResponse {
      let body = TransferBody {
        try await Task.sleep(for: .milliseconds(50))
        return [0x20]
      }
      return TransferResponse(status: 200, url: request.url, contentLength: 100_000, body: body)
    }
  }

  @Test func aHostThatDripsKeepsNobodyFromTheNext() async throws {
    try bench.publish(1)
    var options = try bench.options()
    options.hosts.insert(try #require(URL(string: "drip://host")), at: 0)
    var policy = RetryPolicy(attempts: 1)
    (policy.documentTimeout, policy.minimumRate, policy.rateWindow) = (.milliseconds(500), 10_000, .milliseconds(200))
    let transport = SchemeTransport(["drip": Dripping(), "file": FileTransport()])
    let channel = try ModelChannel(options, downloader: Downloader(transport: transport, policy: policy))
    #expect(try await channel.update().switches.map(\.to?.release) == [1])
    #expect(try channel.model("m").one() == 2)
  }

  @Test func anUpdateReachesARunningProgram() async throws {
    let channel = try bench.channel()
    let model = try channel.model("m")
    var events = channel.events().makeAsyncIterator()
    let tree = try bench.publish(1).tree
    let update = try await channel.update()
    #expect(update.switches.map(\.to?.tree) == [tree] && update.failures.isEmpty && update.check.isNew)
    #expect(try model.one() == 2)
    #expect(try channel.model("m") === model)
    var codes: [String] = []
    while let event = await events.next() {
      codes.append(event.code)
      if event.code == "channel.switched" { break }
    }
    #expect(
      codes.filter { $0 != "channel.progress" } == [
        "channel.asking", "channel.checked", "channel.fetching", "channel.trying", "channel.installed",
        "channel.switched",
      ])
    // The command-line tool finds the model by its name.
    #expect(try InstalledModels(channel.core.store).model(named: "shop:stable:m").stored?.digest == tree)
    #expect(try channel.status().models.first?.current?.tree == tree)
  }

  @Test func whatDidNotChangeIsNotFetched() async throws {
    let watched = WatchedTransport()
    let channel = try bench.channel(transport: watched)
    try bench.publish(1)
    try await channel.update()
    watched.forget()
    let again = try await channel.update()
    #expect(!again.check.isNew && again.switches.isEmpty)
    #expect(watched.asked.map { URL(filePath: $0).lastPathComponent } == ["stable.json"])
    // After signing without changes, the device fetches the manifest but not the model.
    bench.now = bench.now.advanced(by: 86_400)
    try bench.sign()
    watched.forget()
    #expect(try await channel.update().check.isNew)
    #expect(!watched.asked.contains { $0.contains("/objects/") })
  }

  @Test func aDeltaThatCannotBeUsedGivesWayToTheWhole() async throws {
    let body = Fixture.weights(40_000, seed: 1)
    func source(_ version: Int) throws -> URL {
      try bench.folder.write(
        SmallModel.bytes(offset: Double(version), payload: body + Fixture.weights(100, seed: UInt64(version))),
        to: "big-\(version).mlmodel")
    }
    let watched = WatchedTransport()
    let channel = try bench.channel(transport: watched)
    let events = channel.events()
    try bench.add(1, source: source(1))
    try bench.sign()
    try await channel.update()
    let two = try bench.add(2, source: source(2))
    try bench.sign()
    let delta = try #require(two.deltas.first?.payload.smallest)
    let whole = try #require(two.files.first?.smallest)
    #expect(delta.size < whole.size / 10)
    watched.forget()
    try await channel.update()
    #expect(
      watched.asked.contains { $0.hasSuffix(delta.object) } && !watched.asked.contains { $0.hasSuffix(whole.object) })
    #expect(try channel.model("m").one() == 3)

    let three = try bench.add(3, source: source(3))
    try bench.sign()
    let damaged = try #require(three.deltas.first?.payload.smallest)
    try Data([1, 2, 3]).write(to: bench.publisher.files.objectFile(damaged.object))
    try await channel.update()
    #expect(try channel.model("m").one() == 4)
    var reasons: [String] = []
    for await event in events {
      if event.code == "channel.delta-failed" { reasons.append(event.reason ?? "") }
      if case .switched(_, _, to: 3) = event { break }
    }
    #expect(reasons == ["delivery.wrong-size"])
    // Downloaded objects are removed after the installation.
    let downloads = channel.core.options.places.downloads
    let left = (try? FileManager.default.subpathsOfDirectory(atPath: downloads.path)) ?? []
    #expect(left.filter { TreeDigest.isDigest(URL(filePath: $0).lastPathComponent) } == [])
  }

  @Test func newWeightsForAProgramThatStayedCostTheWeights() async throws {
    // The weights of the baseline are truncated to save space, so the baseline does not work yet.
    let whole = try Samples.compiled(Samples.digits)
    let cut = bench.folder.url.appending(path: "cut/Digits.mlmodelc", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: cut.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: whole, to: cut)
    let weights = cut.appending(path: "weights/weight.bin")
    try Data(Data(contentsOf: weights).prefix(100)).write(to: weights)
    let watched = WatchedTransport()
    let channel = try bench.channel(transport: watched) { $0.baselines = ["Digits": cut] }
    let variant = try bench.add(1, as: "Digits", source: whole)
    try bench.sign()
    try await channel.update()
    let objects = watched.asked.filter { $0.contains("/objects/") }.map { URL(filePath: $0).lastPathComponent }
    let file = try #require(variant.files.first { $0.path == "weights/weight.bin" })
    #expect(objects == [file.smallest?.object])
    #expect(variant.files.count > 2)
    let model = try channel.model("Digits")
    let name = try #require(model.modelDescription.inputDescriptionsByName["image"]?.imageConstraint)
    let image = try MLFeatureValue(imageAt: Samples.image, constraint: name)
    let input = try MLDictionaryFeatureProvider(dictionary: ["image": image])
    #expect(try model.output("classLabel", from: input)?.stringValue == "nine")
  }

  @Test func whatFailsItsTestIsNeitherUsedNorFetchedAgain() async throws {
    let watched = WatchedTransport()
    let channel = try bench.channel(transport: watched)
    try bench.publish(1, golden: Samples.outputs(2, in: bench.folder))
    #expect(try await channel.update().failures.isEmpty)
    let bad = try bench.publish(2, golden: Samples.outputs(7, in: bench.folder))
    let update = try await channel.update()
    #expect(update.failures["m"]?.code == .failsSmokeTest && update.switches.isEmpty)
    #expect(try channel.model("m").one() == 2)
    watched.forget()
    let again = try await channel.update()
    #expect(again.failures.isEmpty && !watched.asked.contains { $0.contains("/objects/") })
    #expect(try channel.status().models.first?.blocked[bad.tree]?.reason == .failsSmokeTest)
    #expect(again.check.offers.first?.choice.verdicts.map(\.code).contains(.blocked) == true)
    #expect(try !channel.core.store.digests().contains(bad.tree))
    // Another version of the runtime may try the model.
    let other = try bench.channel { $0.runtimeVersion = "1.5.0" }
    #expect(try await other.update().failures["m"]?.code == .failsSmokeTest)
    // The next release fixes the problem.
    try bench.publish(3, golden: Samples.outputs(4, in: bench.folder))
    try await channel.update()
    #expect(try channel.model("m").one() == 4)
  }

  @Test func aModelThatCannotTakeTheOtherPlaceIsNotSwitchedTo() async throws {
    let channel = try bench.channel()
    let other = try bench.folder.write(SmallModel.bytes(offset: 1, input: "z"), to: "z.mlmodel")
    try bench.add(1, source: other)
    try bench.sign()
    #expect(try await channel.update().failures["m"]?.code == .otherInterface)
    #expect(try channel.model("m").version == .baseline)
    let bold = try bench.channel("b") { $0.keepsInterface = false }
    #expect(try await bold.update().failures.isEmpty)
  }
}
