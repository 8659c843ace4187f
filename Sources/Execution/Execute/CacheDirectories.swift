import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import Foundation
import Logging
import Synchronization

/// The directories of data that the runtime can regenerate: OpenCL programs, measured profiles, packed weights.
public enum CacheDirectories {
  private static let told = Mutex<Set<String>>([])

  /// A folder in the cache directory, which is the same as `DeliveryDirectories.cache`. Nil if there is no cache
  /// directory, or if other users could have written to the folder. The second case is logged once.
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
  /// Packed weights of this user's models, at most 2 GiB. Nil if there is no cache directory, or if the environment
  /// sets COREML_PACKED_CACHE=off.
  package static let standard: ArtifactCache? = {
    guard ProcessInfo.processInfo.environment["COREML_PACKED_CACHE"] != "off" else { return nil }
    return CacheDirectories.folder("packed").map { ArtifactCache(folder: $0, limit: 2 << 30) }
  }()
}
