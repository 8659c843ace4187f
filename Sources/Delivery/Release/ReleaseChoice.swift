import Foundation

/// What a device is to run of one model, and why not something else.
public struct ReleaseChoice: Sendable, Equatable {
  /// What the device is to run.
  public enum Outcome: Sendable, Equatable {
    /// Use this variant of this release.
    case release(Release, Variant)
    /// Use the model that came with the software.
    case baseline
  }

  /// Why a release or a variant was taken or not.
  public struct Verdict: Sendable, Equatable, Codable {
    /// The reason, as one of a fixed list.
    public enum Code: String, Sendable, Codable {
      /// It is what the device is to run.
      case chosen
      /// A kill switch is on, of the channel or of the model.
      case killed
      /// Every device must run it; one that the device can use is told as ``chosen``.
      case forced
      /// Every device must run another release.
      case notForced
      /// This device is told to use another release, or the channel has no such model.
      case notAsked
      /// The publisher has taken it back.
      case withdrawn
      /// Only devices that are told its number get it.
      case staged
      /// Its rollout is paused, and the device does not have it.
      case paused
      /// Its rollout has not come to the device.
      case notInRollout
      /// An experiment gives the device another release.
      case otherArm
      /// The manifest blocks the variant's tree.
      case blocked
      /// The device is not as the variant requires.
      case requirements
      /// Another variant is made for such a device more closely, or comes first among equals.
      case lessSpecific
      /// A newer release was chosen.
      case older
    }
    /// The number of the release; nil for what holds for the whole model.
    public let release: Int?
    /// The name of the variant; nil for what holds for the whole release.
    public let variant: String?
    /// The reason, for programs.
    public let code: Code
    /// The reason, for people.
    public let sentence: String
  }

  /// What the device is to run.
  public let outcome: Outcome
  /// Newest release first.
  public let verdicts: [Verdict]
  /// The arm of the device, where an experiment decided.
  public let arm: Experiment.Arm?
}

extension ReleaseManifest {
  /// Chooses the release and the variant of a model for a device.
  ///
  /// In this order: a kill switch means the baseline; a forced release is for everybody; an experiment gives each device its arm; then
  /// the newest active release whose rollout has come to the device. A device keeps a release that it has while that is active or
  /// paused, also when the rollout shrinks below it. Releases and variants that are blocked, withdrawn or not for such a device never are.
  ///
  /// - Parameters:
  ///   - current: the number of the release that the device has.
  ///   - asked: a number that this device is told to use, whatever its rollout; how staged releases are tried.
  public func choice(
    of model: String, for device: TargetDevice, current: Int? = nil, asked: Int? = nil, now: Timestamp = .now
  ) -> ReleaseChoice {
    var chooser = Chooser(manifest: self, device: device, current: current, asked: asked, now: now)
    return chooser.choose(model)
  }
}

private struct Chooser {
  let manifest: ReleaseManifest
  let device: TargetDevice
  let current: Int?
  let asked: Int?
  let now: Timestamp
  var verdicts: [ReleaseChoice.Verdict] = []

  mutating func note(_ release: Int?, _ variant: String?, _ code: ReleaseChoice.Verdict.Code, _ sentence: String) {
    verdicts.append(.init(release: release, variant: variant, code: code, sentence: sentence))
  }

  mutating func choose(_ model: String) -> ReleaseChoice {
    guard let record = manifest.models[model] else {
      note(nil, nil, .notAsked, "the channel has no model '\(model)'")
      return ReleaseChoice(outcome: .baseline, verdicts: verdicts, arm: nil)
    }
    if let killed = manifest.killSwitch ?? record.killSwitch {
      note(nil, nil, .killed, "the publisher has switched it off: \(killed.reason)")
      return ReleaseChoice(outcome: .baseline, verdicts: verdicts, arm: nil)
    }
    let arm = record.forced == nil && asked == nil ? record.experiment?.arm(device: device.id) : nil
    // An arm whose release cannot run here leaves the device to the rollouts.
    let usable = arm.flatMap { arm in record.releases.first { $0.number == arm.release } }
    let inArm = usable.map { $0.state != .withdrawn && variant(of: $0, noting: false) != nil } ?? false
    var chosen: (Release, Variant)?
    for release in record.releases.reversed() {
      guard chosen == nil else {
        note(release.number, nil, .older, "a newer release was chosen")
        continue
      }
      let only = asked ?? record.forced ?? (inArm ? arm?.release : nil)
      if let refusal = refusal(of: release, only: only, forced: asked == nil && record.forced != nil) {
        note(release.number, nil, refusal.0, refusal.1)
      } else if let variant = variant(of: release, noting: true) {
        chosen = (release, variant)
      }
    }
    return ReleaseChoice(
      outcome: chosen.map { .release($0.0, $0.1) } ?? .baseline, verdicts: verdicts, arm: inArm ? arm : nil)
  }

  private func refusal(
    of release: Release, only: Int?, forced: Bool
  ) -> (ReleaseChoice.Verdict.Code, String)? {
    if release.state == .withdrawn { return (.withdrawn, "the publisher has taken it back") }
    if let only {
      if release.number == only { return nil }
      if asked != nil { return (.notAsked, "this device is told to use release \(only)") }
      return forced
        ? (.notForced, "release \(only) is forced") : (.otherArm, "the experiment gives this device release \(only)")
    }
    let has = current == release.number
    switch release.state {
    case .withdrawn, .staged: return (.staged, "it is staged: only devices that are told its number get it")
    case .paused: return has ? nil : (.paused, "its rollout is paused, and the device does not have it")
    case .active:
      if has || release.rollout.includes(device: device.id, at: now) { return nil }
      let bucket = Rollout.bucket(device: device.id, id: release.rollout.id) * 100
      let share = release.rollout.percentage(at: now)
      return (
        .notInRollout,
        "its rollout is at \(Self.text(share)) % and the device comes at \(Self.text(bucket)) %"
      )
    }
  }

  private static func text(_ number: Double) -> String {
    number.formatted(
      .number.precision(.fractionLength(0...2)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
  }

  /// The most specific variant that the device can use; the publisher's order decides among equals.
  private mutating func variant(of release: Release, noting: Bool) -> Variant? {
    var fitting: [Variant] = []
    for variant in release.variants {
      if let why = manifest.blocked[variant.tree] {
        if noting { note(release.number, variant.name, .blocked, "it is blocked: \(why)") }
        continue
      }
      let refusals = variant.requirements.refusals(of: device)
      guard refusals.isEmpty else {
        if noting { note(release.number, variant.name, .requirements, refusals.joined(separator: "; ")) }
        continue
      }
      fitting.append(variant)
    }
    let most = fitting.map(\.requirements.specificity).max()
    guard let best = fitting.first(where: { $0.requirements.specificity == most }) else { return nil }
    if noting {
      note(release.number, best.name, .chosen, "it is the newest that the device gets and can use")
      for other in fitting where other.name != best.name {
        note(release.number, other.name, .lessSpecific, "'\(best.name)' is made for such a device more closely")
      }
    }
    return best
  }
}
