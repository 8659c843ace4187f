import CoreMLBase
import Foundation

/// How many devices get a release.
public struct Rollout: Sendable, Equatable, Codable {
  /// Steps that come by themselves as time goes by.
  public struct Phases: Sendable, Equatable, Codable {
    /// When the first step comes; before, no device gets the release.
    public var start: Timestamp
    /// Seconds from one step to the next.
    public var interval: Int64
    /// The percentage of each step, ascending; the last one stays.
    public var percentages: [Double]

    /// Steps from a moment on.
    public init(start: Timestamp, interval: Int64, percentages: [Double]) {
      self.start = start
      self.interval = interval
      self.percentages = percentages
    }
  }

  /// What a device's bucket is computed from, with its own identifier: releases of one id go to the same devices first.
  public var id: String
  /// 0 to 100. With phases, what it may at most become.
  public var percentage: Double
  /// The steps by which it grows; nil where the percentage holds at once.
  public var phases: Phases?

  /// A rollout to a percentage of the devices.
  public init(id: String, percentage: Double, phases: Phases? = nil) {
    self.id = id
    self.percentage = percentage
    self.phases = phases
  }

  /// The percentage at a moment.
  public func percentage(at now: Timestamp) -> Double {
    guard let phases, phases.interval > 0 else { return percentage }
    guard phases.start <= now else { return 0 }
    let step = (now.seconds - phases.start.seconds) / phases.interval
    let index = min(step, Int64(phases.percentages.count) - 1)
    guard index >= 0 else { return percentage }
    return min(phases.percentages[Int(index)], percentage)
  }

  /// Where a device stands in a rollout or an experiment: in 0..<1, evenly spread, always the same for the two identifiers. A device is
  /// in when its bucket lies below the percentage, so a growing percentage never loses one.
  public static func bucket(device: String, id: String) -> Double {
    var sha = SHA256Digest()
    sha.append(field: "rollout")
    sha.append(field: device)
    sha.append(field: id)
    // 13 digits are 52 bits: every such number is exact in a Double, and so is the quotient.
    let value = UInt64(sha.hexadecimal().prefix(13), radix: 16) ?? 0
    return Double(value) / Double(1 << 52 as UInt64)
  }

  /// Whether a device is to get it.
  public func includes(device: String, at now: Timestamp) -> Bool {
    Self.bucket(device: device, id: id) * 100 < percentage(at: now)
  }
}

extension Experiment {
  /// The arm of a device.
  public func arm(device: String) -> Arm? {
    let total = arms.reduce(0) { $0 + $1.weight }
    var rest = Rollout.bucket(device: device, id: id) * total
    for arm in arms {
      if rest < arm.weight { return arm }
      rest -= arm.weight
    }
    return arms.last
  }
}
