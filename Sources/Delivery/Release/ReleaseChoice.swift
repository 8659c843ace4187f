import Foundation

/// The release of a model that a device should use, with the reasons for and against each release.
public struct ReleaseChoice: Sendable, Equatable {
  /// The selected model.
  public enum Outcome: Sendable, Equatable {
    /// Use this variant of this release.
    case release(Release, Variant)
    /// Use the baseline that shipped with the application.
    case baseline
  }

  /// Why a release or a variant was selected or rejected.
  public struct Verdict: Sendable, Equatable, Codable {
    /// The stable identifier of the reason.
    public enum Code: String, Sendable, Codable {
      /// It is the selected one.
      case chosen
      /// A kill switch of the channel or of the model is on.
      case killed
      /// Every device must use this release. A usable one is reported as ``chosen``.
      case forced
      /// Every device must use another release.
      case notForced
      /// This device must use another release, or the channel does not have the model.
      case notAsked
      /// The publisher has withdrawn the release.
      case withdrawn
      /// Only devices that request the number of the release get it.
      case staged
      /// The rollout is paused, and the device does not have the release.
      case paused
      /// The rollout does not include the device yet.
      case notInRollout
      /// An experiment assigns another release to the device.
      case otherArm
      /// The manifest blocks the variant's tree.
      case blocked
      /// The device does not meet the requirements of the variant.
      case requirements
      /// Another variant is more specific, or precedes it among equally specific ones.
      case lessSpecific
      /// A newer release was chosen.
      case older
    }
    /// The number of the release; nil for a verdict on the whole model.
    public let release: Int?
    /// The name of the variant; nil for a verdict on the whole release.
    public let variant: String?
    /// The reason as a stable code.
    public let code: Code
    /// The reason as a readable sentence.
    public let sentence: String
  }

  /// The selected release or the baseline.
  public let outcome: Outcome
  /// The verdicts, newest release first.
  public let verdicts: [Verdict]
  /// The device's arm, if an experiment determined the outcome.
  public let arm: Experiment.Arm?
}

extension ReleaseManifest {
  /// Chooses the release and the variant of a model for a device.
  ///
  /// The rules apply in this order:
  ///
  /// 1. A kill switch selects the baseline.
  /// 2. A requested release (`asked`) is the only candidate.
  /// 3. A forced release is the only candidate on every device.
  /// 4. An experiment assigns the release of its arm.
  /// 5. Otherwise, the newest active release whose rollout includes the device is selected.
  ///
  /// A device keeps an active or paused release that it has, even if the rollout shrinks. Withdrawn releases, blocked
  /// variants and variants whose requirements the device does not meet are never selected.
  ///
  /// - Parameters:
  ///   - current: the number of the release that the device has.
  ///   - asked: the number of a release that the device must use, regardless of its rollout. For testing staged
  ///     releases.
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
    // If the arm's release cannot run on this device, the rollouts decide.
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

  /// Returns the most specific variant that the device can use. The publisher's order decides between equally specific
  /// ones.
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
