import CoreMLRuntime
import Foundation
import Testing

@testable import CoreMLDelivery

/// A new model is proven, or rolled back to the last good one.
@Suite struct HealthTests {
  let bench: ChannelBench
  private struct Implausible: Error {}

  init() throws { bench = try ChannelBench() }

  /// A device on which version 1 is proven and version 2 is new.
  private func probation(
    _ change: (inout ChannelOptions) throws -> Void = { _ in }
  ) async throws -> (channel: ModelChannel, model: ManagedModel, trees: [String]) {
    let channel = try bench.channel("a") { try change(&$0) }
    let model = try channel.model("m")
    let one = try bench.publish(1).tree
    try await channel.update()
    for _ in 0..<16 { _ = try model.one() }
    #expect(try channel.status().models.first?.isProven == true)
    let two = try bench.publish(2).tree
    try await channel.update()
    #expect(try model.one() == 3)
    #expect(try channel.status().models.first?.isProven == false)
    return (channel, model, [one, two])
  }

  @Test func oldModelsGoOnceTheNewOneHasProvedItself() async throws {
    let (channel, model, trees) = try await probation()
    #expect(try Set(channel.core.store.digests()) == Set(trees))
    let cache = CompiledModelCache(directory: try bench.places().compiledModels, runtimeVersion: "1.4.0")
    var policy = PrunePolicy()
    (policy.keepsPrevious, policy.grace) = (0, .zero)
    _ = try channel.core.store.prune(policy, cache)
    #expect(try Set(channel.core.store.digests()) == Set(trees), "the last good one is kept")
    for _ in 0..<16 { _ = try model.one() }
    #expect(try channel.core.store.digests() == [trees[1]])
    #expect(try channel.core.store.activeNames() == ["shop:stable:m"])
  }

  @Test func theLastGoodOneIsKeptHoweverManyCameAfterIt() async throws {
    let (channel, model, trees) = try await probation()
    // None of these versions is used enough to be proven.
    for version in 3...8 {
      try bench.publish(version)
      try await channel.update()
    }
    let status = try #require(try channel.status().models.first)
    #expect(status.earlier.count == InstalledState.earlierLimit && status.earlier.last?.tree == trees[0])
    for _ in 0..<5 { model.reportFailure() }
    #expect(try model.one() == 2)
  }

  @Test func whatIsKnownOfModelsThatAreNoMoreIsForgotten() async throws {
    let (channel, model, trees) = try await probation()
    let book = channel.core.files.health(of: "m")
    for _ in 0..<16 { _ = try model.one() }
    func age(_ tree: String) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -100 * 86_400)], ofItemAtPath: book.folder(of: tree).path)
    }
    // The first model was removed when the second one was proven.
    for tree in trees { try age(tree) }
    let bad = String(repeating: "b", count: 64)
    let block = ModelBlock(reason: .latency, message: "slow", release: 9, date: bench.now, runtimeVersion: "1.0.0")
    #expect(try book.block(bad, block))
    try age(bad)
    try await channel.update()
    func isKnown(_ tree: String) -> Bool { FileManager.default.fileExists(atPath: book.folder(of: tree).path) }
    #expect(!isKnown(trees[0]) && isKnown(trees[1]) && isKnown(bad))
    #expect(book.isProven(trees[1]))
  }

  @Test func aPromotionThatWasCutShortIsFinished() async throws {
    let (channel, _, trees) = try await probation()
    // Simulates a process that was killed after it had written the proof.
    #expect(try channel.core.files.health(of: "m").prove(trees[1]))
    #expect(try channel.status().models.first?.earlier.map(\.tree) == [trees[0]])
    try await channel.update()
    #expect(try channel.status().models.first?.earlier.isEmpty == true)
    #expect(try channel.core.store.digests() == [trees[1]])
    #expect(try channel.core.store.activeNames() == ["shop:stable:m"])
  }

  @Test func aClockThatWasFarAheadDoesNotKeepAModelNewForEver() {
    var counts = HealthCounts()
    counts.predictions = 100
    let policy = HealthPolicy()
    let now = Timestamp(seconds: 1_800_000_000)
    func isProof(_ seconds: Int64) -> Bool { policy.isProof(counts, since: now.advanced(by: -seconds), now: now) }
    #expect(!isProof(0) && !isProof(3599) && isProof(3600))
    // A clock correction by seconds proves nothing. After a correction by more than a day, the elapsed time is unknown.
    #expect(!isProof(-60) && isProof(-86_400 * 365))
    counts.predictions = 99
    #expect(!isProof(3600) && !isProof(-86_400 * 365))
  }

  @Test func aModelThatNeverAnswersInTimeIsLeft() async throws {
    let late = MLModelError(.predictionCancelled, "late", underlyingCode: "mil.over-time")
    let channel = try bench.channel("a")
    let model = try channel.model("m")
    try bench.publish(1)
    try await channel.update()
    for _ in 0..<16 { _ = try model.one() }
    try bench.publish(2)
    try await channel.update()
    // Cancelled predictions do not count.
    for _ in 1...9 {
      #expect(throws: MLModelError.self) {
        try model.withModel { _, _ in throw MLModelError(.predictionCancelled, "stopped") }
      }
    }
    #expect(model.version.release?.release == 2)
    for _ in 1...5 { #expect(throws: MLModelError.self) { try model.withModel { _, _ in throw late } } }
    #expect(model.version.release?.release == 1)
    // Timeouts of a model that has produced outputs before do not count.
    try bench.publish(3)
    try await channel.update()
    _ = try model.one()
    for _ in 1...9 { #expect(throws: MLModelError.self) { try model.withModel { _, _ in throw late } } }
    #expect(model.version.release?.release == 3)
  }

  @Test func failedPredictionsBringTheLastGoodOneBack() async throws {
    let (channel, model, trees) = try await probation()
    let events = channel.events()
    for number in 1...5 {
      #expect(model.version.release?.release == 2, "\(number)")
      #expect(throws: Implausible.self) { try model.withModel { _, _ in throw Implausible() } }
    }
    #expect(try model.one() == 2)
    let status = try #require(try channel.status().models.first)
    #expect(status.current?.tree == trees[0] && status.isProven)
    #expect(status.blocked[trees[1]]?.reason == .predictionFailures)
    for await event in events {
      guard case .rolledBack(_, let release, let reason) = event else { continue }
      #expect(release == 2 && reason.rawValue == "health.prediction-failures")
      break
    }
    // The channel still offers the release, but this device does not install it again. The next release fixes the
    // problem.
    #expect(try await channel.update().switches.isEmpty)
    #expect(try bench.channel().model("m").one() == 2)
    try bench.publish(3)
    try await channel.update()
    #expect(try model.one() == 4)
    #expect(try !channel.core.store.digests().contains(trees[1]))
    // The block remains until the user removes it.
    try await channel.allow("m")
    #expect(try channel.status().models.first?.blocked.isEmpty == true)
  }

  @Test func withoutAGoodOneTheBundledModelComesBack() async throws {
    let channel = try bench.channel()
    let model = try channel.model("m")
    try bench.publish(1)
    try await channel.update()
    for _ in 0..<5 { model.reportFailure() }
    #expect(model.version == .baseline)
    #expect(try model.one() == 1)
  }

  @Test func whatTheCallerGetsWrongDoesNotCount() async throws {
    let (_, model, _) = try await probation()
    let wrong = try MLDictionaryFeatureProvider(dictionary: ["y": 1.0])
    for _ in 0..<20 {
      #expect(throws: MLModelError.self) { try model.output("y", from: wrong) }
    }
    for _ in 0..<20 {
      #expect(throws: CancellationError.self) { try model.withModel { _, _ in throw CancellationError() } }
    }
    #expect(model.version.release?.release == 2)
  }

  /// A sender of bad inputs must not be able to cause the rollback of a good model.
  @Test(arguments: [
    "kernel.invalid-input", "runtime.evaluation", "mil.invalid-shape", "mil.out-of-memory", "opencl.memory",
  ])
  func inputsThatNoModelCanTakeDoNotCount(code: String) async throws {
    let (_, model, _) = try await probation()
    func refuse() {
      #expect(throws: MLModelError.self) {
        try model.withModel { _, _ in throw MLModelError(.generic, "index 9 is out of range", underlyingCode: code) }
      }
    }
    for _ in 0..<20 { refuse() }
    #expect(model.version.release?.release == 2)
    // Failures that inputs cannot cause do count.
    for _ in 0..<5 {
      #expect(throws: MLModelError.self) {
        try model.withModel { _, _ in throw MLModelError(.generic, "lost", underlyingCode: "kernel.device") }
      }
    }
    #expect(model.version.release?.release == 1)
  }

  /// A model with variable input sizes is not timed. A sender of large inputs must not be able to cause its rollback.
  @Test func whatLargeInputsTakeSaysNothingOfTheModel() throws {
    func model(_ text: String, ranges: [UInt8] = []) throws -> MLModel {
      let name = "Abs-\(UUID().uuidString).mlmodelc"
      let folder = bench.folder
      try folder.write(
        "program(1.3) { func main<ios18>(tensor<fp32, [\(text)]> x) { tensor<fp32, [\(text)]> y = abs(x = x); } -> (y); }",
        to: "\(name)/model.mil")
      func feature(_ name: String) -> [UInt8] {
        let array = SmallModel.field(1, [3]) + SmallModel.field(2, 65568) + ranges
        return SmallModel.field(1, Array(name.utf8)) + SmallModel.field(3, SmallModel.field(5, array))
      }
      try folder.write(
        SmallModel.field(1, feature("x")) + SmallModel.field(10, feature("y")), to: "\(name)/coremldata.bin")
      try folder.write(
        #"[{"coremlRuntimeFormat": 1, "modelType": "mlProgram", "specificationVersion": 9, "arrayMapping": "exact", "imageMapping": "exact"}]"#,
        to: "\(name)/metadata.json")
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      return try MLModel(contentsOf: folder.url.appending(path: name), configuration: configuration)
    }
    func timed(_ model: MLModel, _ timesOpenInputs: Bool = false) -> Int {
      let recorder = HealthRecorder(in: bench.folder.url.appending(path: UUID().uuidString))
      let loaded = ServingModel(
        model, .baseline, named: "m", recorder, [], isNew: true, hadWorked: true, timesOpenInputs: timesOpenInputs)
      for _ in 0..<4 {
        recorder.begin()
        loaded.end(.good, latency: .seconds(9), rows: 1)
      }
      #expect(recorder.counts.predictions == 4)
      return recorder.counts.latencies.count
    }
    let (fixed, open) = (
      try model("3"), try model("?", ranges: SmallModel.field(31, SmallModel.field(1, [0x08, 1, 0x10, 0xE8, 0x07])))
    )
    #expect(timed(fixed) == 3 && timed(open) == 0)
    #expect(timed(open, true) == 3)
    #expect(try MLModel(contentsOf: Samples.compiled(Samples.digits)).modelDescription.inputsHaveOneSize)
  }

  @Test func aModelThatHasNeverWorkedIsLeftWhateverItSays() async throws {
    let channel = try bench.channel()
    let model = try channel.model("m")
    try bench.publish(1)
    try await channel.update()
    for _ in 0..<5 {
      #expect(throws: MLModelError.self) {
        try model.withModel { _, _ in throw MLModelError(.generic, "never", underlyingCode: "kernel.invalid-input") }
      }
    }
    #expect(model.version == .baseline)
    // A model that passed its golden test counts as one that has produced outputs.
    try bench.publish(2, golden: Samples.outputs(3, in: bench.folder))
    try await channel.update()
    for _ in 0..<20 {
      #expect(throws: MLModelError.self) {
        try model.withModel { _, _ in throw MLModelError(.generic, "odd", underlyingCode: "kernel.invalid-input") }
      }
    }
    #expect(model.version.release?.release == 2)
  }

  @Test func processesThatDieWithAModelBringTheLastGoodOneBack() async throws {
    let (channel, model, trees) = try await probation()
    let book = channel.core.files.health(of: "m")
    // Simulates processes that were killed during a prediction, and one that was killed while idle.
    let gone = PartialOwner(
      host: PartialOwner.current.host, boot: PartialOwner.current.boot, process: 1, start: "never")
    var record = HealthRecord()
    record.counts.loads = 1
    for number in 0..<3 {
      try Data(record.bytes).write(to: book.folder(of: trees[1]).appending(path: "\(gone.token)~idle\(number).health"))
    }
    record.running = 1
    for number in 0..<3 {
      #expect(try bench.channel().model("m").version.release?.release == 2, "\(number)")
      try Data(record.bytes).write(to: book.folder(of: trees[1]).appending(path: "\(gone.token)~\(number).health"))
    }
    // The next process does not load the model any more.
    #expect(try bench.channel().model("m").version.release?.release == 1)
    #expect(try channel.status().models.first?.blocked[trees[1]]?.reason == .crashLoop)
    await channel.refresh()
    #expect(try model.one() == 2)
  }

  @Test func aModelThatDoesNotLoadIsLeft() async throws {
    let (channel, _, trees) = try await probation()
    // Simulates a compilation whose result does not load.
    let stored = try channel.core.store.model(trees[1])
    let compiled = try #require(try channel.core.installer.compiled(stored))
    for path in try FileManager.default.subpathsOfDirectory(atPath: compiled.url.path) {
      let file = compiled.url.appending(path: path)
      _ = chmod(file.path, 0o644)
      if DiskUse.size(file) != nil { try Data("nothing".utf8).write(to: file) }
    }
    let record = CompiledModelCache.Record(
      source: trees[1], compiled: try TreeDigest.digest(of: compiled.url), runtimeVersion: "1.4.0",
      stamp: ModelContents.Stamp(try ModelContents(of: compiled.url)))
    let entry = compiled.url.deletingLastPathComponent()
    try DurableFile.write(json: record, to: entry.appending(path: CompiledModelCache.Record.fileName))
    for _ in 0..<2 { #expect(try bench.channel().model("m").one() == 2) }
    #expect(try bench.channel().status().models.first?.blocked[trees[1]]?.reason == .loadFailures)
  }

  @Test func aModelThatTakesFarLongerIsLeft() async throws {
    let (_, model, _) = try await probation { options in
      options.health.provingPredictions = 12
      options.health.latencySamples = 10
      options.health.latencyFactor = 2
      options.health.latencyFloor = .milliseconds(25)
    }
    for _ in 0..<16 where model.version.release?.release == 2 {
      _ = try model.withModel { _, _ in usleep(200_000) }
    }
    #expect(model.version.release?.release == 1)
    #expect(try bench.channel().status().models.first?.blocked.values.map(\.reason) == [.latency])
  }

  @Test func latenciesAreCountedInClasses() {
    var histogram = LatencyHistogram()
    #expect(histogram.median == nil)
    for milliseconds in 1...101 { histogram.add(.milliseconds(milliseconds)) }
    let median = (histogram.median ?? .zero) / .milliseconds(1)
    #expect(histogram.count == 101 && median > 50 && median < 75)
    histogram.add(.seconds(1_000_000))
    var record = HealthRecord()
    (record.running, record.counts.predictions, record.counts.latencies) = (3, 12, histogram)
    #expect(HealthRecord(record.bytes) == record)
    #expect(HealthRecord([UInt8](repeating: 7, count: HealthRecord.size)) == nil)
    #expect(HealthRecord(record.bytes.dropLast()) == nil)
  }

  @Test func aPersonRollsBack() async throws {
    let (channel, model, trees) = try await probation()
    try await channel.rollBack("m")
    #expect(try model.one() == 2)
    #expect(try channel.status().models.first?.blocked[trees[1]]?.reason == .byHand)
    try await channel.rollBack("m")
    #expect(try model.one() == 1)
    #expect(await Fixture.code { try await channel.rollBack("m") } == .noEarlierVersion)
  }
}
