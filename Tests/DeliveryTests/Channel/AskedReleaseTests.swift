import CoreMLRuntime
import Foundation
import Testing

@testable import CoreMLDelivery

/// Explicit requests for models and releases, and requests that the channel cannot fulfil.
@Suite struct AskedReleaseTests {
  let bench: ChannelBench

  init() throws { bench = try ChannelBench() }

  private func channel(_ change: (inout ChannelOptions) -> Void) throws -> ModelChannel {
    try bench.channel { options in
      options.baselines = [:]
      change(&options)
    }
  }

  @Test(arguments: [99, 0, -1, .max, .min])
  func aReleaseThatIsNotThereIsRefused(number: Int) async throws {
    try bench.publish(1)
    try await channel { _ in }.update()
    let channel = try channel { $0.asked = ["m": number] }
    let error = await #expect(throws: DeliveryError.self) { try await channel.update() }
    #expect(error?.code == .noSuchRelease)
    #expect(error?.message == "the channel has no release \(number) of 'm' (it has 1)")
    #expect(try channel.model("m").one() == 2)
    #expect(try channel.status().models.first?.current?.release == 1)
    // Devices without the request do not get the staged release, and no error.
    #expect(try await self.channel { _ in }.update().switches.isEmpty)
  }

  @Test func aReleaseThatCannotBeUsedIsRefusedWithTheReason() async throws {
    for version in 1...2 { try bench.publish(version) }
    _ = try bench.shop.rollBack("m", 2, reason: "wrong", in: "stable")
    try bench.add(3, stage: 0)
    try bench.sign()
    try await channel { _ in }.update()
    let withdrawn = try channel { $0.asked = ["m": 2] }
    let error = await #expect(throws: DeliveryError.self) { try await withdrawn.update() }
    #expect(error?.message == "release 2 of 'm' cannot be used here: the publisher has taken it back")
    #expect(try withdrawn.model("m").one() == 2)
    // Devices that request a staged release get it.
    let staged = try channel { $0.asked = ["m": 3] }
    #expect(try await staged.update().switches.first?.to?.release == 3)
  }

  @Test func aModelThatIsNotThereIsRefused() async throws {
    try bench.publish(1)
    let unknown = try channel { $0.asked = ["n": 1] }
    let error = await #expect(throws: DeliveryError.self) { try await unknown.update() }
    #expect(error?.message == "release 1 of 'n' is asked for: the channel has no model 'n' (it has m)")
    let other = try channel { ($0.models, $0.asked) = (["m"], ["n": 1]) }
    #expect(await Fixture.code { try await other.update() } == .noSuchRelease)
  }

  @Test func aModelThatIsFollowedAndNotOfferedFails() async throws {
    try bench.publish(1)
    let both = try channel { $0.models = ["m", "Typo"] }
    let update = try await both.update()
    #expect(update.switches.map(\.model) == ["m"])
    #expect(update.failures["Typo"]?.code == .notOffered)
    #expect(update.failures["Typo"]?.message == "the channel has no model 'Typo' (it has m)")
    // A baseline works although the channel does not have the model.
    let small = try Samples.small(0, in: bench.folder)
    let own = try channel { ($0.models, $0.baselines) = (["own"], ["own": small]) }
    #expect(try await own.update().failures.isEmpty)
  }

  @Test func namesThatAreNoModelsAreRefusedByHand() async throws {
    try bench.publish(1)
    let channel = try channel { _ in }
    try await channel.update()
    for name in ["Nope", "../m", "", "m/../m"] {
      #expect(await Fixture.code { try await channel.allow(name) } == .notOffered, "\(name)")
      #expect(await Fixture.code { try await channel.rollBack(name) } == .notOffered, "\(name)")
    }
    #expect(try await channel.allow("m") == 0)
    try bench.publish(2)
    try await channel.update()
    try await channel.rollBack("m")
    #expect(try await channel.allow("m") == 1)
  }
}
