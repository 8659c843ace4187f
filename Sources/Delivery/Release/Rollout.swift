import CoreMLBase
import Foundation

/// The share of devices that get a release.
public struct Rollout: Sendable, Equatable, Codable {
  /// Time-based phases of a rollout.
  public struct Phases: Sendable, Equatable, Codable {
    /// When the first phase begins; earlier, no device gets the release.
    public var start: Timestamp
    /// The duration of each phase in seconds.
    public var interval: Int64
    /// The percentage of each phase, ascending; the last one remains in effect.
    public var percentages: [Double]

    /// Creates phases from a start time on.
    public init(start: Timestamp, interval: Int64, percentages: [Double]) {
      self.start = start
      self.interval = interval
      self.percentages = percentages
    }
  }

  /// The input of a device's bucket, together with the device identifier. Releases with equal ids reach the same
  /// devices first.
  public var id: String
  /// The percentage of devices, 0 to 100. With phases, this is the upper limit.
  public var percentage: Double
  /// The phases of growth; nil if the percentage applies at once.
  public var phases: Phases?

  /// Creates a rollout to a percentage of the devices.
  public init(id: String, percentage: Double, phases: Phases? = nil) {
    self.id = id
    self.percentage = percentage
    self.phases = phases
  }

  /// Returns the percentage at a given time.
  public func percentage(at now: Timestamp) -> Double {
    guard let phases, phases.interval > 0 else { return percentage }
    guard phases.start <= now else { return 0 }
    let step = (now.seconds - phases.start.seconds) / phases.interval
    let index = min(step, Int64(phases.percentages.count) - 1)
    guard index >= 0 else { return percentage }
    return min(phases.percentages[Int(index)], percentage)
  }

  /// Returns the bucket of a device in a rollout or experiment: uniformly distributed in 0..<1 and determined by the
  /// two identifiers. A device is included if its bucket is below the percentage, so a growing percentage never
  /// excludes a device.
  public static func bucket(device: String, id: String) -> Double {
    var sha = SHA256Digest()
    sha.append(field: "rollout")
    sha.append(field: device)
    sha.append(field: id)
    // 13 hexadecimal digits are 52 bits, so the conversion to `Double` and the quotient are exact.
    let value = UInt64(sha.hexadecimal().prefix(13), radix: 16) ?? 0
    return Double(value) / Double(1 << 52 as UInt64)
  }

  /// Returns whether the rollout includes a device.
  public func includes(device: String, at now: Timestamp) -> Bool {
    Self.bucket(device: device, id: id) * 100 < percentage(at: now)
  }
}

extension Experiment {
  /// Returns the arm of a device.
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
