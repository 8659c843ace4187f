import CoreMLRuntime
import Foundation
import Testing

@testable import CoreMLDelivery

/// End-to-end rollouts: ten devices, and all actions of a publisher.
@Suite struct ChannelRolloutTests {
  let bench: ChannelBench

  init() throws { bench = try ChannelBench() }

  private func versions(_ channels: [ModelChannel]) throws -> [Int] {
    try channels.map { try $0.status().models.first?.current?.release ?? 0 }
  }

  @Test func aGrowingShareLosesNobodyAndAPauseStopsIt() async throws {
    let channels = try (0..<10).map { try bench.channel("device-\($0)") }
    try bench.publish(1)
    for channel in channels { try await channel.update() }
    #expect(try versions(channels).allSatisfy { $0 == 1 })
    try bench.add(2, stage: 0)
    var had: Set<Int> = []
    for percentage in [15.0, 70] {
      try bench.shop.stage("m", percentage: percentage, in: "stable")
      try bench.sign()
      for channel in channels { try await channel.update() }
      let have = Set(try versions(channels).enumerated().filter { $0.element == 2 }.map(\.offset))
      #expect(have.isSuperset(of: had))
      let expected = (0..<10).filter { Rollout.bucket(device: "device-\($0)", id: "m-2") * 100 < percentage }
      #expect(have == Set(expected))
      had = have
    }
    #expect(!had.isEmpty && had.count < 10)
    try bench.shop.pause("m", in: "stable")
    try bench.sign()
    let late = try bench.channel("device-late")
    try await late.update()
    for channel in channels { try await channel.update() }
    #expect(try Set(versions(channels).enumerated().filter { $0.element == 2 }.map(\.offset)) == had)
    #expect(try versions([late]) == [1])
    // After the withdrawal, devices leave the release and no other device gets it.
    try bench.shop.rollBack("m", reason: "wrong outputs", in: "stable")
    #expect(throws: DeliveryError.self) { try bench.shop.force("m", 2, in: "stable") }
    try bench.sign()
    for (place, channel) in channels.enumerated() {
      let switches = try await channel.update().switches
      #expect(switches.map(\.from?.release) == (had.contains(place) ? [2] : []))
      #expect(switches.allSatisfy { $0.to?.release == 1 })
    }
    #expect(try versions(channels).allSatisfy { $0 == 1 })
    try bench.publish(3)
    for channel in channels { try await channel.update() }
    #expect(try versions(channels).allSatisfy { $0 == 3 })
  }

  @Test func theKillSwitchBringsTheBundledModelBack() async throws {
    let channel = try bench.channel()
    let model = try channel.model("m")
    try bench.publish(1)
    try await channel.update()
    try bench.shop.kill("m", reason: "a lawsuit", in: "stable")
    try bench.sign()
    // A check without an update is sufficient.
    let check = try await channel.check()
    #expect(try model.one() == 1 && !check.hasUpdates)
    #expect(try bench.channel().model("m").version == .baseline)
    try bench.shop.kill("m", reason: nil, in: "stable")
    try bench.sign()
    try await channel.update()
    #expect(try model.one() == 2)
  }

  @Test func aForcedReleaseIsForEverybody() async throws {
    let channel = try bench.channel()
    try bench.publish(1)
    try bench.publish(2)
    try await channel.update()
    #expect(try channel.model("m").one() == 3)
    try bench.shop.force("m", 1, in: "stable")
    try bench.sign()
    try await channel.update()
    #expect(try channel.model("m").one() == 2)
    try bench.shop.force("m", nil, in: "stable")
    try bench.sign()
    try await channel.update()
    #expect(try channel.model("m").one() == 3)
  }

  @Test func aStagedReleaseGoesToWhoIsToldItsNumber() async throws {
    try bench.publish(1)
    try bench.add(2, stage: 0)
    try bench.sign()
    let (everybody, tester) = (try bench.channel("a"), try bench.channel("b") { $0.asked = ["m": 2] })
    for channel in [everybody, tester] { try await channel.update() }
    #expect(try versions([everybody, tester]) == [1, 2])
  }

  @Test func aReleaseForALaterRuntimeWaitsForIt() async throws {
    try bench.publish(1)
    var addition = Publisher.Addition(model: "m", version: "2.0", source: try Samples.small(2, in: bench.folder))
    addition.requirements.runtimeMinimum = "2.0.0"
    _ = try bench.shop.add(addition, to: "stable")
    try bench.shop.promote("m", in: "stable")
    try bench.sign()
    let old = try bench.channel()
    try await old.update()
    #expect(try versions([old]) == [1])
    let new = try bench.channel {
      $0.runtimeVersion = "2.1.0"
      $0.device?.runtimeVersion = "2.1.0"
    }
    try await new.update()
    #expect(try versions([new]) == [2])
  }

  @Test func championAndChallengersRunSideBySide() async throws {
    let channel = try bench.channel { $0.runsAllArms = true }
    let model = try channel.model("m")
    try bench.publish(1)
    try bench.add(2, stage: 0)
    let experiment = Experiment(
      id: "colours",
      arms: [.init(role: .champion, release: 1, weight: 1), .init(role: .challenger, release: 2, weight: 1)])
    try bench.shop.experiment("m", experiment, in: "stable")
    try bench.sign()
    try await channel.update()
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": 1.0])
    func answers() throws -> [Double] {
      try (0..<40).map { user in
        try model.output("y", from: input, for: "user-\(user)")?.doubleValue ?? .nan
      }
    }
    let first = try answers()
    #expect(first == (0..<40).map { experiment.arm(device: "user-\($0)")?.release == 2 ? 3 : 2 })
    #expect(Set(first) == [2, 3])
    #expect(try answers() == first)
    // The subjects of a failing challenger use the device's own model. The other arm is not affected.
    struct Odd: Error {}
    let challenged = try #require((0..<40).first { first[$0] == 3 })
    for _ in 0..<channel.core.options.health.predictionFailures {
      #expect(throws: Odd.self) { try model.withModel(for: "user-\(challenged)") { _, _ in throw Odd() } }
    }
    let own = try model.one()
    let after = try Set(answers())
    #expect(after == Set([own, 2]), "\(own)")
    try bench.shop.experiment("m", nil, in: "stable")
    try bench.sign()
    try await channel.update()
    #expect(try Set(answers()).count == 1)
  }
}
