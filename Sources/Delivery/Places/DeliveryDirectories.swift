import Foundation

/// Where this user's models, caches and states are kept.
///
/// Under systemd, the folders of the service (`STATE_DIRECTORY`, `CACHE_DIRECTORY`: systemd.exec(5)); otherwise those of the XDG base
/// directory specification (`XDG_DATA_HOME`, `XDG_CACHE_HOME`, `XDG_STATE_HOME`), which default to folders below the home folder. As
/// that specification asks, a path that is not absolute counts as absent, and folders are created when needed, open to their owner alone.
///
/// | | systemd | XDG | default |
/// | --- | --- | --- | --- |
/// | ``data`` | `$STATE_DIRECTORY/data` | `$XDG_DATA_HOME/coreml` | `~/.local/share/coreml` |
/// | ``cache`` | `$CACHE_DIRECTORY` | `$XDG_CACHE_HOME/coreml` | `~/.cache/coreml` |
/// | ``state`` | `$STATE_DIRECTORY/state` | `$XDG_STATE_HOME/coreml` | `~/.local/state/coreml` |
public struct DeliveryDirectories: Sendable, Hashable {
  /// What cannot be had again without asking for it: models.
  public let data: URL
  /// What can be made again: compiled models, device programs, measurements.
  public let cache: URL
  /// What must last, though nobody asks for it by name.
  public let state: URL

  /// Installed models, by name.
  public var models: URL { data.appending(path: "models", directoryHint: .isDirectory) }
  /// The compiled forms of source models.
  public var compiledModels: URL { cache.appending(path: "compiled", directoryHint: .isDirectory) }

  /// Which models passed their test on which device.
  var verdicts: URL { cache.appending(path: "verdicts", directoryHint: .isDirectory) }
  /// Downloads on their way.
  public var downloads: URL { cache.appending(path: "downloads", directoryHint: .isDirectory) }

  /// The places that an environment names, or their defaults; nothing is created.
  ///
  /// - Throws: ``DeliveryError`` when the environment names no folder and the user has no home.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    func absolute(_ path: String?) -> URL? {
      guard let path, path.hasPrefix("/") else { return nil }
      return URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
    }
    // A unit may list several folders; the first is the service's own.
    func service(_ variable: String) -> URL? {
      absolute(environment[variable]?.split(separator: ":").first.map(String.init))
    }
    func place(_ variable: String, _ fallback: String) throws -> URL {
      if let folder = absolute(environment[variable]) {
        return folder.appending(path: "coreml", directoryHint: .isDirectory)
      }
      guard let home = absolute(environment["HOME"]) ?? Self.homeOfUser else {
        throw DeliveryError(.noPlace, "\(variable) is not set, and the user has no home folder")
      }
      return home.appending(path: "\(fallback)/coreml", directoryHint: .isDirectory)
    }
    let serviceState = service("STATE_DIRECTORY")
    data =
      try serviceState?.appending(path: "data", directoryHint: .isDirectory) ?? place("XDG_DATA_HOME", ".local/share")
    cache = try service("CACHE_DIRECTORY") ?? place("XDG_CACHE_HOME", ".cache")
    state =
      try serviceState?.appending(path: "state", directoryHint: .isDirectory) ?? place("XDG_STATE_HOME", ".local/state")
  }

  /// Creates the cache folder, marked so that backups leave it out; returns it.
  @discardableResult public func makeCache() throws -> URL {
    try Self.makeFolder(cache)
    try CacheTag.write(in: cache)
    return cache
  }

  /// Creates a folder and those above it, open to their owner alone unless another mode is asked for; one that is there stays as it is.
  /// The mode is given to the system as the folder is made: no mask of the process's can widen it.
  static func makeFolder(_ url: URL, mode: mode_t = 0o700) throws {
    func make(_ path: String) -> Int32 {
      if mkdir(path, mode) == 0 { return 0 }
      let failure = errno
      switch failure {
      case EEXIST:
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR
      case ENOENT:
        let parent = URL(filePath: path).deletingLastPathComponent().path
        guard parent.utf8.count < path.utf8.count else { return failure }
        let above = make(parent)
        guard above == 0 else { return above }
        return mkdir(path, mode) == 0 || errno == EEXIST ? 0 : errno
      default:
        // Where nothing may be made, one that is there does.
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? 0 : failure
      }
    }
    let failure = make(url.standardizedFileURL.path)
    guard failure == 0 else {
      let code: DeliveryError.Code = failure == ENOSPC || failure == EDQUOT ? .noSpace : .unwritable
      throw DeliveryError(code, "the folder cannot be created", at: url, errno: failure)
    }
  }

  private static var homeOfUser: URL? {
    guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return nil }
    let path = String(cString: directory)
    return path.hasPrefix("/") ? URL(filePath: path, directoryHint: .isDirectory) : nil
  }
}

/// The system's own words for an error of Foundation's.
func reason(_ error: any Error) -> String {
  if let posix = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError {
    return String(cString: strerror(posix.code.rawValue))
  }
  return (error as NSError).localizedDescription
}
