import CoreMLRuntime
import CoreMLSpec
import Foundation

extension TargetDevice {
  /// Describes this device for the choice of releases.
  ///
  /// - Parameter configuration: how models will run. If it permits an available OpenCL device, the classes include
  ///   `gpu`.
  public static func this(
    id: String, runtimeVersion: String, configuration: MLModelConfiguration? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> TargetDevice {
    var machine = utsname()
    uname(&machine)
    let architecture = withUnsafeBytes(of: machine.machine) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let locale = (environment["LC_ALL"] ?? environment["LANG"])?.split(separator: ".").first.map(String.init)
    let hasGPU = configuration.map { $0.computeUnits != .cpuOnly && $0.preferredOpenCLDevice != nil } ?? false
    return TargetDevice(
      id: id, runtimeVersion: runtimeVersion,
      specificationVersion: Int(ModelFile.specificationVersions.upperBound), architecture: architecture,
      classes: hasGPU ? ["cpu", "gpu"] : ["cpu"], halfPrecision: false,
      memory: Int64(clamping: ProcessInfo.processInfo.physicalMemory),
      locale: locale == "C" || locale == "POSIX" ? nil : locale)
  }
}

/// The random identifier that rollouts and experiments use for this device. It is created once, kept in the state
/// folder and never sent.
enum DeviceID {
  private struct Record: Codable { let id: String }

  /// Returns the identifier of this user's installation. If two processes create it concurrently, both use the first
  /// one.
  static func of(_ places: DeliveryDirectories) throws -> String {
    let file = places.state.appending(path: "device.json")
    do {
      if let record = try DurableFile.read(json: Record.self, at: file) { return record.id }
    } catch let error as DeliveryError where error.code == .damagedRecord {
      // The previous identifier cannot be recovered.
      let aside = places.state.appending(path: ".device.json.damaged")
      guard rename(file.path, aside.path) == 0 || errno == ENOENT else {
        throw DeliveryError(.unwritable, "the damaged record cannot be set aside", at: file, errno: errno)
      }
    }
    let draft = Staging.name(in: places.state)
    defer { unlink(draft.path) }
    try DurableFile.write(json: Record(id: UUID().uuidString.lowercased()), to: draft)
    // `link` fails if the file exists, so it never replaces another process's identifier.
    guard link(draft.path, file.path) == 0 || errno == EEXIST else {
      throw DeliveryError(.unwritable, "the device's identifier cannot be kept", at: file, errno: errno)
    }
    // The identifier must survive a power failure.
    try FolderReplacement.synchronize(places.state)
    guard let record = try DurableFile.read(json: Record.self, at: file) else {
      throw DeliveryError(.unreadable, "the device's identifier cannot be read", file: file.path)
    }
    return record.id
  }
}
