import Foundation
import Testing

@testable import CoreMLDelivery

/// The selected release for a device, with the reasons.
@Suite struct ReleaseChoiceTests {
  private func variant(_ name: String = "default", _ requirements: Requirements = Requirements()) -> Variant {
    let digest =
      String(repeating: "a", count: 64 - name.utf8.count % 16) + String(repeating: "b", count: name.utf8.count % 16)
    return Variant(
      name: name, form: .mlmodel, requirements: requirements,
      files: [
        ShippedFile(
          path: "\(name).mlmodel", size: 1, sha256: digest, encodings: [.init(kind: .raw, object: digest, size: 1)])
      ])
  }

  private func release(
    _ number: Int, _ state: Release.State = .active, _ percentage: Double = 100, _ variants: [Variant]? = nil
  ) -> Release {
    Release(
      number: number, version: "\(number).0", state: state, rollout: Rollout(id: "m-\(number)", percentage: percentage),
      created: Fixture.now, variants: variants ?? [variant("v\(number)")])
  }

  private func manifest(_ releases: [Release], _ change: (inout ModelRecord) -> Void = { _ in }) throws
    -> ReleaseManifest
  {
    var manifest = Fixture.manifest(1)
    var record = ModelRecord(releases: releases)
    change(&record)
    manifest.models["m"] = record
    try manifest.validate()
    return manifest
  }

  private func number(_ choice: ReleaseChoice) -> Int? {
    if case .release(let release, _) = choice.outcome { return release.number }
    return nil
  }

  private func choose(
    _ manifest: ReleaseManifest, _ device: TargetDevice = Fixture.device, current: Int? = nil, asked: Int? = nil
  ) -> Int? {
    number(manifest.choice(of: "m", for: device, current: current, asked: asked, now: Fixture.now))
  }

  private func device(_ id: String) -> TargetDevice {
    var device = Fixture.device
    device.id = id
    return device
  }

  @Test func bucketsAreStableAndEven() {
    // Buckets must not change between versions of the software.
    #expect(Rollout.bucket(device: "device-1", id: "m-1") == Rollout.bucket(device: "device-1", id: "m-1"))
    let buckets = (0..<20_000).map { Rollout.bucket(device: "device-\($0)", id: "m-1") }
    #expect(buckets.allSatisfy { (0..<1).contains($0) })
    for tenth in 0..<10 {
      let share = buckets.count { Int($0 * 10) == tenth }
      #expect((1_800...2_200).contains(share), "\(tenth): \(share)")
    }
    // Another rollout begins with other devices.
    let both = (0..<20_000).count {
      buckets[$0] < 0.1 && Rollout.bucket(device: "device-\($0)", id: "m-2") < 0.1
    }
    #expect((120...280).contains(both))
  }

  @Test func aGrowingRolloutLosesNobody() throws {
    var before: Set<String> = []
    for percentage in [0, 0.5, 1, 10, 33.3, 50, 99, 100] {
      let manifest = try manifest([release(1), release(2, .active, percentage)])
      let now = Set((0..<2_000).map { "d\($0)" }.filter { choose(manifest, device($0)) == 2 })
      #expect(before.isSubset(of: now))
      #expect(abs(Double(now.count) / 20 - percentage) < 4)
      before = now
    }
    #expect(before.count == 2_000)
  }

  @Test func phasesComeByThemselves() {
    let rollout = Rollout(
      id: "r", percentage: 60,
      phases: .init(start: Fixture.now, interval: 3_600, percentages: [1, 10, 50, 100]))
    func at(_ seconds: Int64) -> Double { rollout.percentage(at: Fixture.now.advanced(by: seconds)) }
    #expect([-1, 0, 3_599, 3_600, 7_200, 10_800, 1 << 40].map(at) == [0, 1, 1, 10, 50, 60, 60])
  }

  @Test func statesDecide() throws {
    #expect(try choose(manifest([release(1), release(2)])) == 2)
    #expect(try choose(manifest([release(1), release(2, .staged)])) == 1)
    #expect(try choose(manifest([release(1), release(2, .staged)]), asked: 2) == 2)
    #expect(try choose(manifest([release(1), release(2, .paused)])) == 1)
    #expect(try choose(manifest([release(1), release(2, .paused)]), current: 2) == 2)
    #expect(try choose(manifest([release(1), release(2, .active, 0)]), current: 2) == 2)
    #expect(try choose(manifest([release(1), release(2, .withdrawn)]), current: 2) == 1)
    #expect(try choose(manifest([release(1, .withdrawn)]), current: 1) == nil)
    #expect(try choose(manifest([release(1), release(2)]) { $0.forced = 1 }, current: 2) == 1)
    #expect(try choose(manifest([release(1), release(2)]) { $0.killSwitch = .init(reason: "x") }, current: 2) == nil)
    var killed = try manifest([release(1)])
    killed.killSwitch = .init(reason: "x")
    #expect(choose(killed) == nil)
    var blocked = try manifest([release(1), release(2)])
    blocked.blocked[variant("v2").tree] = "wrong outputs"
    #expect(choose(blocked, current: 2) == 1)
    #expect(number(blocked.choice(of: "other", for: Fixture.device)) == nil)
  }

  @Test func requirementsRefuseWithASentence() {
    let cases: [(Requirements, Bool)] = [
      (Requirements(runtimeMinimum: "1.4"), true), (Requirements(runtimeMinimum: "1.10"), false),
      (Requirements(runtimeMaximum: "1.4.0"), true), (Requirements(runtimeMaximum: "1.3.9"), false),
      (Requirements(specificationVersion: 9), true), (Requirements(specificationVersion: 10), false),
      (Requirements(architectures: ["aarch64", "x86_64"]), true), (Requirements(architectures: ["aarch64"]), false),
      (Requirements(deviceClasses: ["gpu", "cpu"]), true), (Requirements(deviceClasses: ["gpu"]), false),
      (Requirements(halfPrecision: true), false), (Requirements(halfPrecision: false), true),
      (Requirements(memory: 4 << 30), true), (Requirements(memory: 5 << 30), false),
      (Requirements(locales: ["de"]), true), (Requirements(locales: ["DE-at"]), true),
      (Requirements(locales: ["de-DE", "en"]), false),
    ]
    for (requirements, fits) in cases {
      #expect(requirements.refusals(of: Fixture.device).isEmpty == fits, "\(requirements)")
    }
  }

  @Test func theMostSpecificVariantIsTaken() throws {
    let variants = [
      variant("any"), variant("arm", Requirements(architectures: ["aarch64"])),
      variant("intel", Requirements(architectures: ["x86_64"])), variant("second", Requirements(locales: ["de"])),
    ]
    let choice = try manifest([release(1, .active, 100, variants)]).choice(of: "m", for: Fixture.device)
    guard case .release(_, let chosen) = choice.outcome else {
      Issue.record("nothing was chosen")
      return
    }
    #expect(chosen.name == "intel")
    #expect(
      choice.verdicts.map { "\($0.variant ?? "") \($0.code.rawValue)" } == [
        "arm requirements", "intel chosen", "any lessSpecific", "second lessSpecific",
      ])
    // If a release has no variant for the device, the previous release is selected.
    let newer = release(2, .active, 100, [variants[1]])
    #expect(try choose(manifest([release(1), newer])) == 1)
  }

  @Test func experimentsAssignByWeight() throws {
    let experiment = Experiment(
      id: "e",
      arms: [
        .init(role: .champion, release: 1, weight: 3), .init(role: .challenger, release: 2, weight: 1),
      ])
    let manifest = try manifest([release(1), release(2, .staged)]) { $0.experiment = experiment }
    let chosen = (0..<4_000).map { choose(manifest, device("d\($0)")) }
    #expect(chosen.allSatisfy { $0 == 1 || $0 == 2 })
    #expect((900...1_100).contains(chosen.count { $0 == 2 }))
    #expect(chosen == (0..<4_000).map { choose(manifest, device("d\($0)"), current: 1) })
    // If the release of an arm is withdrawn, the rollouts decide for its devices.
    let without = try self.manifest([release(1), release(2, .withdrawn)]) { $0.experiment = experiment }
    #expect((0..<200).allSatisfy { choose(without, device("d\($0)")) == 1 })
  }

  @Test func versionsCompareAsNumbers() {
    #expect(VersionNumber("1.9") < VersionNumber("1.10"))
    #expect(VersionNumber("1.2") == VersionNumber("1.2.0"))
    #expect(VersionNumber("2.0-beta") < VersionNumber("2.0"))
    #expect(!(VersionNumber("2.0") < VersionNumber("2.0-beta")))
  }
}
