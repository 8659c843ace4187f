import Foundation

/// The requirements of a variant on devices; nil properties impose no requirement.
public struct Requirements: Sendable, Equatable, Codable {
  /// The minimum version of the runtime.
  public var runtimeMinimum: String?
  /// The maximum version of the runtime.
  public var runtimeMaximum: String?
  /// The specification version of the model.
  public var specificationVersion: Int?
  /// Permitted architectures: `x86_64`, `aarch64`.
  public var architectures: [String]?
  /// Permitted device classes: `cpu`, `gpu`, or an application-defined name.
  public var deviceClasses: [String]?
  /// Whether the device must compute in fp16.
  public var halfPrecision: Bool?
  /// The minimum memory of the device in bytes.
  public var memory: Int64?
  /// Permitted locales as BCP 47 tags; `de` also permits `de-AT`.
  public var locales: [String]?

  /// Creates requirements; by default there are none.
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

  /// Returns a sentence for each requirement that a device does not meet; empty if the device can use the variant.
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

  /// The number of requirements. Of several usable variants, the most specific one is selected.
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

/// The device properties that the choice of a release depends on.
public struct TargetDevice: Sendable, Equatable, Codable {
  /// The random identifier that rollouts and experiments use, stored in the state folder.
  public var id: String
  /// The version of the runtime, such as `1.12.0`.
  public var runtimeVersion: String
  /// The newest specification version that the runtime reads.
  public var specificationVersion: Int
  /// The processor architecture: `x86_64`, `aarch64`.
  public var architecture: String
  /// The device classes: `cpu`, `gpu`, or application-defined names.
  public var classes: Set<String>
  /// Whether the device computes in fp16.
  public var halfPrecision: Bool
  /// The memory in bytes.
  public var memory: Int64
  /// The locale as a BCP 47 tag, or in POSIX form (`de_AT`).
  public var locale: String?

  /// Creates a description from given values, without inspecting this machine.
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

/// A version such as `1.12.0`. Components compare numerically, `1.2` equals `1.2.0`, and a hyphenated suffix orders
/// before no suffix.
public struct VersionNumber: Sendable, Comparable {
  private let numbers: [Int]
  private let suffix: String?

  /// Parses a version; a component that is not an integer counts as 0.
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
