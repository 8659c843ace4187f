import Foundation

/// Profiles that are measured once and kept on disk, one file for each device and driver. A damaged file is measured
/// again. A directory that cannot be written only costs time.
package struct MeasuredProfiles: Sendable {
  private let cache: FileCache
  /// Part of every key. Raise it when the measurement changes.
  private static let version = "1"

  /// Profiles are kept in `directory`, which is created when needed. With `nil` nothing is kept.
  package init(directory: String?) { cache = FileCache(directory: directory) }

  /// The peak rates of the context's device.
  package func profile(of context: OpenCLContext) throws -> DeviceProfile {
    let device = context.device
    // Launches and copies through the CUDA driver are faster than through OpenCL.
    return try kept(["opencl", device.id, device.programIdentity] + (device.usesCUDA ? ["cuda"] : [])) {
      try DeviceMeasurement.profile(of: context)
    }
  }

  /// The peak rates of the CPU on the pool's threads. `name` identifies the processor model.
  package func profile(of pool: ThreadPool, on name: String) throws -> DeviceProfile {
    try kept(["cpu", name, "\(pool.threads)"]) { try DeviceMeasurement.profile(of: pool) }
  }

  private func kept(_ key: [String], _ measure: () throws -> DeviceProfile) throws -> DeviceProfile {
    let file = FileCache.fileName(["profile", Self.version] + key, suffix: "profile")
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    // JSON has no infinity, which a CPU's transfer bandwidth is.
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
