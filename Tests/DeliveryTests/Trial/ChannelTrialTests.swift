import CoreMLRuntime
import Foundation
import TestSupport
import Testing

@testable import CoreMLDelivery

/// Trials during an update: bad models do not hold up others, and an end of the updater does not count against a model.
@Suite(.tags(.process)) struct ChannelTrialTests {
  let bench: ChannelBench

  init() throws { bench = try ChannelBench() }

  private func script(_ body: String) throws -> TrialScript { try TrialScript(body, in: bench.folder) }

  private func names(_ update: ChannelUpdate) -> [String] { update.switches.map(\.model).sorted() }

  @Test(arguments: [1, 3]) func badModelsKeepNoOtherFromBeingUpdated(sideBySide: Int) async throws {
    let (good, bad) = (["a", "c", "e", "g"], ["b", "d", "f"])
    var trees: [String: String] = [:]
    for (index, name) in (good + bad).sorted().enumerated() {
      let golden = name == "f" ? try Samples.outputs(99, in: bench.folder) : nil
      trees[name] = try bench.add(10 + index, as: name, golden: golden).tree
    }
    try bench.sign()
    let (aborts, loops) = (try #require(trees["b"]), try #require(trees["d"]))
    let script = try script(
      """
      case "$order" in
      *\(aborts)*) note aborts; \(TrialScript.ready); kill -ABRT $$ ;;
      *\(loops)*) note loops; \(TrialScript.ready); while :; do :; done ;;
      esac
      \(TrialScript.goOn)
      """)
    let channel = try bench.channel {
      $0.baselines = [:]
      $0.trials = script.policy(seconds: 20) { $0.sideBySide = sideBySide }
    }
    let first = try await channel.update()
    #expect(names(first) == good)
    #expect(
      first.failures.mapValues(\.code) == ["b": .trialCrashed, "d": .trialTimedOut, "f": .failsSmokeTest])
    for name in good { #expect(try channel.model(name).version.release?.release == 1) }
    // A model is blocked after its second failure.
    _ = try await channel.update()
    let reasons = try channel.status().models.flatMap { $0.blocked.values.map(\.reason) }
    #expect(Set(reasons) == [.crashed, .timedOut, .failsSmokeTest])
    #expect(try await channel.update().failures.isEmpty)
    #expect(script.notes.map(\.word).sorted() == ["aborts", "aborts", "loops", "loops"])
  }

  /// Error messages name the model, not its private copy.
  @Test func failuresNameTheModelAndNoPrivateFolder() async throws {
    let empty = try Samples.variant(1, in: bench.folder)
    try Data().write(to: empty.appending(path: Samples.weightsPath))
    try bench.add(1, as: "a", source: empty)
    try bench.sign()
    let channel = try bench.channel { $0.baselines = [:] }
    let error = try #require(try await channel.update().failures["a"])
    #expect(error.code == .doesNotLoad)
    #expect(!"\(error)".contains(".staged-") && !"\(error)".contains("/staging/"), "\(error)")
  }

  /// A userspace out-of-memory daemon kills the process of a trial.
  @Test(arguments: [1, 3]) func whoEndsATrialAloneKeepsNoOtherFromBeingUpdated(sideBySide: Int) async throws {
    for (index, name) in ["a", "b", "c"].enumerated() { try bench.add(40 + index, as: name) }
    try bench.sign()
    let tree = try #require(try bench.shop.draft("stable").models["a"]?.releases.first?.variants.first?.tree)
    let script = try script(
      """
      case "$order" in *\(tree)*) note ended; \(TrialScript.ready); kill -TERM $$; sleep 600 ;; esac
      \(TrialScript.goOn)
      """)
    let channel = try bench.channel {
      $0.baselines = [:]
      $0.trials = script.policy { $0.sideBySide = sideBySide }
    }
    let first = try await channel.update()
    #expect(names(first) == ["b", "c"] && first.failures.mapValues(\.code) == ["a": .trialKilled])
    // In a concurrent trial this is inconclusive, so the model is tried again alone, and that result counts.
    #expect(script.notes.count == (sideBySide == 1 ? 1 : 2))
    #expect(try await channel.update().failures.mapValues(\.code) == ["a": .trialKilled])
    #expect(try channel.status().models.flatMap { $0.blocked.values.map(\.reason) } == [.crashed])
    #expect(try await channel.update().failures.isEmpty)
  }

  @Test func whatStopsTheUpdateTwiceBlocksNothing() async throws {
    try bench.publish(1)
    let script = try script(
      """
      note tried
      if [ "$(wc -l < "$0.log")" -le 2 ]; then \(TrialScript.ready); sleep 600; fi
      \(TrialScript.goOn)
      """)
    let channel = try bench.channel { $0.trials = script.policy(seconds: 600) }
    for number in 1...2 {
      let update = Task { try await channel.update() }
      try await script.waitForNotes(number)
      update.cancel()
      await #expect(throws: CancellationError.self) { try await update.value }
    }
    #expect(try channel.status().models.first?.blocked.isEmpty == true)
    #expect(try channel.status().models.first?.loadFailures == 0)
    #expect(try await names(channel.update()) == ["m"])
    #expect(script.notes.count == 3)
  }

  @Test func whoNeedsMoreThanAShareOfTheMemoryIsTriedAlone() async throws {
    for (index, name) in ["a", "b", "c"].enumerated() { try bench.add(20 + index, as: name) }
    try bench.sign()
    let needy = try #require(try bench.shop.draft("stable").models["a"]?.releases.first?.variants.first?.tree)
    let script = try script(
      """
      case "$order" in
      *\(needy)*)
        case "$order" in
        *'"memory":4294967296'*) note alone ;;
        *) note shared; \(TrialScript.ready); kill -KILL $$ ;;
        esac ;;
      esac
      \(TrialScript.goOn)
      """)
    let channel = try bench.channel {
      $0.baselines = [:]
      $0.trials = script.policy {
        $0.memory = 4 << 30
        $0.sideBySide = 2
      }
    }
    let update = try await channel.update()
    #expect(names(update) == ["a", "b", "c"] && update.failures.isEmpty, "\(update.failures)")
    #expect(script.notes.map(\.word) == ["shared", "alone"])
  }

  @Test func aModelWhoseTrialEndedTheUpdaterIsTriedAfterTheOthers() async throws {
    for (index, name) in ["a", "b"].enumerated() { try bench.add(30 + index, as: name) }
    try bench.sign()
    let tree = try #require(try bench.shop.draft("stable").models["a"]?.releases.first?.variants.first?.tree)
    let script = try script(#"case "$order" in *\#(tree)*) note a;; *) note b;; esac; \#(TrialScript.goOn)"#)
    let channel = try bench.channel {
      $0.baselines = [:]
      $0.trials = script.policy { $0.sideBySide = 1 }
    }
    // Simulates an updater that was killed during a trial.
    let gone = PartialOwner(
      host: PartialOwner.current.host, boot: PartialOwner.current.boot, process: 1, start: "never")
    let book = channel.core.files.health(of: "a")
    try DeliveryDirectories.makeFolder(book.folder(of: tree))
    try Data().write(to: book.folder(of: tree).appending(path: "\(gone.token)~1.trial"))
    #expect(try await names(channel.update()) == ["a", "b"])
    #expect(script.notes.map(\.word) == ["b", "a"])
    #expect(book.trialsCutShort(tree).isEmpty && book.block(of: tree, runtime: channel.core.options.runtime) == nil)
  }

  @Test func aModelThatEndsItsOnlyProcessAtEveryUpdateIsLeft() async throws {
    try bench.publish(1)
    try bench.publish(2)
    let tree = try #require(try bench.shop.draft("stable").models["m"]?.releases.last?.variants.first?.tree)
    let channel = try bench.channel {
      $0.trials.helper = TrialPolicy.Helper.none
      $0.trials.requiresHelper = false
    }
    let book = channel.core.files.health(of: "m")
    let owner = PartialOwner.current
    let gone = PartialOwner(host: owner.host, boot: owner.boot, process: 1, start: "never")
    let earlier = PartialOwner(host: owner.host, boot: "another", process: 1, start: "never")
    try DeliveryDirectories.makeFolder(book.folder(of: tree))
    // Marks of trials in another process, or from before a reboot, do not count.
    for number in 1...3 {
      try Data().write(to: book.folder(of: tree).appending(path: "\(gone.token)~w\(number).trial"))
      try Data("here\n".utf8).write(to: book.folder(of: tree).appending(path: "\(earlier.token)~e\(number).trial"))
    }
    #expect(book.trialsThatEndedTheirProcess(tree) == 0 && book.trialsCutShort(tree).count == 6)
    for number in 1...3 {
      try Data("here\n".utf8).write(to: book.folder(of: tree).appending(path: "\(gone.token)~\(number).trial"))
    }
    #expect(try await channel.update().failures["m"]?.code == .trialCrashed)
    #expect(try await channel.update().failures["m"]?.code == .trialCrashed)
    #expect(book.block(of: tree, runtime: channel.core.options.runtime)?.reason == .crashed)
    // Then the previous release is installed.
    #expect(try await names(channel.update()) == ["m"])
  }

  @Test func anotherBuildOfTheRuntimeTriesAgainButNotWhatAPersonHasLeft() async throws {
    let bad = try bench.publish(1, golden: Samples.outputs(9, in: bench.folder))
    let channel = try bench.channel()
    #expect(try await channel.update().failures["m"]?.code == .failsSmokeTest)
    #expect(try await channel.update().failures.isEmpty)
    let rebuilt = try bench.channel { $0.build = "another" }
    #expect(try await rebuilt.update().failures["m"]?.code == .failsSmokeTest)
    try bench.publish(2)
    try await channel.update()
    try await channel.rollBack("m")
    #expect(try await rebuilt.update().switches.isEmpty)
    let blocked = try #require(try rebuilt.status().models.first?.blocked)
    #expect(blocked.count == 2 && blocked[bad.tree] != nil && blocked.values.contains { $0.reason == .byHand })
  }
}
