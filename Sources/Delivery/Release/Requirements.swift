import Foundation

/// What a device must be like for a variant; what is nil is not asked for.
public struct Requirements: Sendable, Equatable, Codable {
  /// The least version of the runtime.
  public var runtimeMinimum: String?
  /// The last version of the runtime that it works with.
  public var runtimeMaximum: String?
  /// The specification version of the model.
  public var specificationVersion: Int?
  /// Any of these: `x86_64`, `aarch64`.
  public var architectures: [String]?
  /// Any of these: `cpu`, `gpu`, or a name that the software gives its devices.
  public var deviceClasses: [String]?
  /// Whether the device must compute in half precision.
  public var halfPrecision: Bool?
  /// The least memory of the device, in bytes.
  public var memory: Int64?
  /// Any of these, as BCP 47 has them; `de` also takes `de-AT`.
  public var locales: [String]?

  /// Requirements; without arguments, none.
  public init(
    runtimeMinimum: String? = nil, runtimeMaximum: String? = nil, specificationVersion: Int? = nil,
    architectures: [String]? = nil, deviceClasses: [String]? = nil, halfPrecision: Bool? = nil, memory: Int64? = nil,
    locales: [String]? = nil
  ) {
    self.runtimeMinimum = runtimeMinimum
    self.runtimeMaximum = runtimeMaximum
    self.specificationVersion = specificationVersion
    self.architectures = architectures
    self.deviceClasses = deviceClasses
    self.halfPrecision = halfPrecision
    self.memory = memory
    self.locales = locales
  }

  /// Why a device cannot use the variant: a sentence for each requirement that it does not meet; empty when it can.
  public func refusals(of device: TargetDevice) -> [String] {
    var refusals: [String] = []
    let runtime = VersionNumber(device.runtimeVersion)
    if let minimum = runtimeMinimum, runtime < VersionNumber(minimum) {
      refusals.append("it needs runtime \(minimum) or later and the device has \(device.runtimeVersion)")
    }
    if let maximum = runtimeMaximum, VersionNumber(maximum) < runtime {
      refusals.append("it works up to runtime \(maximum) and the device has \(device.runtimeVersion)")
    }
    if let needed = specificationVersion, device.specificationVersion < needed {
      refusals.append(
        "it has specification version \(needed) and the device reads up to \(device.specificationVersion)")
    }
    if let architectures, !architectures.contains(device.architecture) {
      refusals.append("it is for \(architectures.joined(separator: ", ")) and the device is \(device.architecture)")
    }
    if let deviceClasses, device.classes.isDisjoint(with: deviceClasses) {
      refusals.append(
        "it is for \(deviceClasses.joined(separator: ", ")) and the device has \(device.classes.sorted().joined(separator: ", "))"
      )
    }
    if halfPrecision == true, !device.halfPrecision {
      refusals.append("it computes in half precision and the device does not")
    }
    if let memory, device.memory < memory {
      refusals.append("it needs \(memory) bytes of memory and the device has \(device.memory)")
    }
    if let locales, !locales.contains(where: { Self.locale($0, takes: device.locale) }) {
      refusals.append(
        "it is for \(locales.joined(separator: ", ")) and the device is set to \(device.locale ?? "none")")
    }
    return refusals
  }

  /// How many things are asked for: of two variants that fit, the more specific one is meant.
  public var specificity: Int {
    [
      runtimeMinimum != nil, runtimeMaximum != nil, specificationVersion != nil, architectures != nil,
      deviceClasses != nil, halfPrecision == true, memory != nil, locales != nil,
    ].count { $0 }
  }

  private static func locale(_ asked: String, takes device: String?) -> Bool {
    guard let found = device?.lowercased().replacing("_", with: "-") else { return false }
    return found == asked.lowercased() || found.hasPrefix(asked.lowercased() + "-")
  }
}

/// A device as the choice of releases sees it.
public struct TargetDevice: Sendable, Equatable, Codable {
  /// Random, made once, kept in the state directory: what rollouts and experiments assign by.
  public var id: String
  /// The version of the runtime, such as `1.12.0`.
  public var runtimeVersion: String
  /// The newest specification version that its runtime takes.
  public var specificationVersion: Int
  /// Of the processor: `x86_64`, `aarch64`.
  public var architecture: String
  /// What it computes on: `cpu`, `gpu`, or names that the software gives its devices.
  public var classes: Set<String>
  /// Whether it computes in half precision.
  public var halfPrecision: Bool
  /// In bytes.
  public var memory: Int64
  /// As BCP 47 has it, or in POSIX form (`de_AT`).
  public var locale: String?

  /// A device as it is described; nothing is asked of the machine.
  public init(
    id: String, runtimeVersion: String, specificationVersion: Int, architecture: String, classes: Set<String>,
    halfPrecision: Bool, memory: Int64, locale: String? = nil
  ) {
    self.id = id
    self.runtimeVersion = runtimeVersion
    self.specificationVersion = specificationVersion
    self.architecture = architecture
    self.classes = classes
    self.halfPrecision = halfPrecision
    self.memory = memory
    self.locale = locale
  }
}

/// A version such as `1.12.0`: numbers compare as numbers; `1.2` is `1.2.0`; what follows a hyphen makes it earlier.
public struct VersionNumber: Sendable, Comparable {
  private let numbers: [Int]
  private let suffix: String?

  /// Reads a version; a part that is no number counts as 0.
  public init(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1)
    var numbers = (parts.first ?? "").split(separator: ".").map { Int($0) ?? 0 }
    while numbers.last == 0 { numbers.removeLast() }
    self.numbers = numbers
    suffix = parts.count > 1 ? String(parts[1]) : nil
  }

  public static func < (a: VersionNumber, b: VersionNumber) -> Bool {
    if a.numbers != b.numbers { return a.numbers.lexicographicallyPrecedes(b.numbers) }
    switch (a.suffix, b.suffix) {
    case (let a?, let b?): return a < b
    case (_?, nil): return true
    default: return false
    }
  }
}
