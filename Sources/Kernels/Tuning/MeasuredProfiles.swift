import Foundation

/// Profiles measured once and kept on disk, one file a device and driver. A file that is damaged is measured again; a directory that
/// cannot be written only costs time.
package struct MeasuredProfiles: Sendable {
  private let cache: FileCache
  /// Part of every key: raise it when what is measured changes.
  private static let version = "1"

  /// Profiles are kept in `directory`, which is made when needed; `nil` keeps none.
  package init(directory: String?) { cache = FileCache(directory: directory) }

  /// What the context's device does at best.
  package func profile(of context: OpenCLContext) throws -> DeviceProfile {
    try kept(["opencl", context.device.id, context.device.programIdentity]) {
      try DeviceMeasurement.profile(of: context)
    }
  }

  /// What the CPU does at best on the pool's threads. `name` tells one processor from another.
  package func profile(of pool: ThreadPool, on name: String) throws -> DeviceProfile {
    try kept(["cpu", name, "\(pool.threads)"]) { try DeviceMeasurement.profile(of: pool) }
  }

  private func kept(_ key: [String], _ measure: () throws -> DeviceProfile) throws -> DeviceProfile {
    let file = FileCache.fileName(["profile", Self.version] + key, suffix: "profile")
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    // JSON has no infinite numbers, and a CPU's transfers are infinitely fast.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    if let bytes = cache.load(file), let profile = try? decoder.decode(DeviceProfile.self, from: Data(bytes)),
      profile.isPlausible
    {
      return profile
    }
    let profile = try measure()
    if let data = try? encoder.encode(profile) { cache.save([UInt8](data), file) }
    return profile
  }
}

extension DeviceProfile {
  fileprivate var isPlausible: Bool {
    peakFlops > 0 && bandwidth > 0 && launch > 0 && transferBandwidth > 0 && transferLatency >= 0
  }
}
