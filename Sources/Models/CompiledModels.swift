import CoreML
import CoreMLBase
import CoreMLDelivery
import CoreMLSpec
import Foundation

/// Compiled forms of models: from the user's cache, or compiled now.
package struct CompiledModels: Sendable {
  /// What a program does on behalf of the compile cache.
  package struct Host: Sendable {
    /// A remark that the user should read, such as that a compiled model is not kept.
    package var note: @Sendable (String) -> Void
    /// A remark for `--verbose`.
    package var detail: @Sendable (String) -> Void
    /// A folder that the program removes when it ends, for a compiled model that is not kept.
    package var temporaryFolder: @Sendable () throws -> URL
    /// Compiles the model at the first URL into the folder at the second, and may show progress.
    package var compile: @Sendable (URL, URL) throws -> URL

    package init(
      note: @escaping @Sendable (String) -> Void, detail: @escaping @Sendable (String) -> Void,
      temporaryFolder: @escaping @Sendable () throws -> URL,
      compile: @escaping @Sendable (URL, URL) throws -> URL = { try MLModel.compileModel(at: $0, into: $1) }
    ) {
      (self.note, self.detail) = (note, detail)
      (self.temporaryFolder, self.compile) = (temporaryFolder, compile)
    }
  }

  private let leases: ModelLeases
  private let host: Host

  /// - Parameter leases: keeps the lease of each compiled model of the cache that a caller gets.
  package init(leases: ModelLeases, host: Host) { (self.leases, self.host) = (leases, host) }

  /// The compiled form of a model: the model itself if it is compiled.
  package func compiled(_ url: URL, noCache: Bool) throws -> URL {
    if case .compiled = try ModelLocation.open(url.path) { return url }
    let compiled = try noCache ? uncached(url) : cached(url)
    host.detail("\(url.path) is compiled: \(compiled.path)")
    return compiled
  }

  /// The digest of a model, cached with the compiled models if that is possible.
  package func digest(of url: URL, noCache: Bool) throws -> String {
    if let known = leases.digest(of: url) { return known }
    if !noCache, let directories = try? DeliveryDirectories(), (try? directories.makeCache()) != nil,
      let digest = try? Self.cache(directories).digest(of: url)
    {
      return digest
    }
    return try TreeDigest.digest(of: url)
  }

  /// The user's cache of compiled models.
  package static func cache(_ directories: DeliveryDirectories) throws -> CompiledModelCache {
    CompiledModelCache(directory: directories.compiledModels, runtimeVersion: PackageVersion.current)
  }

  private func uncached(_ url: URL) throws -> URL { try host.compile(url, host.temporaryFolder()) }

  private func cached(_ url: URL) throws -> URL {
    var cache: CompiledModelCache
    do {
      let directories = try DeliveryDirectories()
      try directories.makeCache()
      cache = try Self.cache(directories)
    } catch let error as DeliveryError {
      // A read-only home directory is common on servers, and no reason not to predict.
      host.note("the compiled model is not kept: \(error)")
      return try uncached(url)
    }
    cache.tell = host.note
    do {
      let (compiled, lease) = try cache.leasedModel(for: url, digest: leases.digest(of: url)) { target in
        _ = try host.compile(url, target.deletingLastPathComponent())
      }
      leases.keep(lease)
      return compiled
    } catch  where error.isWriteFailure {
      // A full disk does not prevent predictions either.
      host.note("the compiled model is not kept: \(error.sentence)")
      return try uncached(url)
    }
  }
}
