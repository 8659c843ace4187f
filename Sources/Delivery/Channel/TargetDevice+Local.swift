import CoreMLRuntime
import CoreMLSpec
import Foundation

extension TargetDevice {
  /// This machine, as releases are chosen for it.
  ///
  /// - Parameter configuration: how models will be run: with a device of OpenCL among what may be used, the class `gpu` is there too.
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

/// What rollouts and experiments know a device by: random, made once, kept in the state folder. It is sent to nobody.
enum DeviceID {
  private struct Record: Codable { let id: String }

  /// The identifier of this user's installation. Of two processes that make it at once one wins, and both have that one.
  static func of(_ places: DeliveryDirectories) throws -> String {
    let file = places.state.appending(path: "device.json")
    do {
      if let record = try DurableFile.read(json: Record.self, at: file) { return record.id }
    } catch let error as DeliveryError where error.code == .damagedRecord {
      // Nobody knows any more which device this was.
      let aside = places.state.appending(path: ".device.json.damaged")
      guard rename(file.path, aside.path) == 0 || errno == ENOENT else {
        throw DeliveryError(.unwritable, "the damaged record cannot be set aside", at: file, errno: errno)
      }
    }
    let draft = Staging.name(in: places.state)
    defer { unlink(draft.path) }
    try DurableFile.write(json: Record(id: UUID().uuidString.lowercased()), to: draft)
    // A link does not replace what stands there.
    guard link(draft.path, file.path) == 0 || errno == EEXIST else {
      throw DeliveryError(.unwritable, "the device's identifier cannot be kept", at: file, errno: errno)
    }
    // A machine that loses its power now must not be another device afterwards.
    try FolderReplacement.synchronize(places.state)
    guard let record = try DurableFile.read(json: Record.self, at: file) else {
      throw DeliveryError(.unreadable, "the device's identifier cannot be read", file: file.path)
    }
    return record.id
  }
}
