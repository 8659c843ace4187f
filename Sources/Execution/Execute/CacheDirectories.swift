import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import Foundation
import Logging
import Synchronization

/// Where the runtime keeps what can be made again: OpenCL programs, measured profiles, packed weights.
public enum CacheDirectories {
  private static let told = Mutex<Set<String>>([])

  /// A folder of the cache, the same place as `Places.cache` of the delivery module; nil where no cache can be had, and where others could
  /// have written what is in it, which is logged once.
  public static func folder(_ name: String) -> String? {
    guard let path = path(name) else { return nil }
    guard let reason = FileTrust.process.refusal(of: path) else { return path }
    if told.withLock({ $0.insert(path).inserted }) {
      Logger(label: "coreml.runtime").warning("the cache is not used: \(reason)")
    }
    return nil
  }

  private static func path(_ name: String) -> String? {
    let environment = ProcessInfo.processInfo.environment
    func absolute(_ path: String?) -> String? { path.flatMap { $0.hasPrefix("/") ? $0 : nil } }
    if let service = absolute(environment["CACHE_DIRECTORY"]?.split(separator: ":").first.map(String.init)) {
      return "\(service)/\(name)"
    }
    let base = absolute(environment["XDG_CACHE_HOME"]) ?? absolute(environment["HOME"]).map { "\($0)/.cache" }
    return base.map { "\($0)/coreml/\(name)" }
  }
}

extension ArtifactCache {
  /// Packed weights of this user's models, 2 GiB at most; nil where no cache can be had, and where the environment says
  /// COREML_PACKED_CACHE=off.
  package static let standard: ArtifactCache? = {
    guard ProcessInfo.processInfo.environment["COREML_PACKED_CACHE"] != "off" else { return nil }
    return CacheDirectories.folder("packed").map { ArtifactCache(folder: $0, limit: 2 << 30) }
  }()
}
