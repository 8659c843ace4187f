import Foundation

/// The folders for this user's models, caches and state.
///
/// Under systemd, these are the folders of the service (`STATE_DIRECTORY`, `CACHE_DIRECTORY`: systemd.exec(5)).
/// Otherwise they follow the XDG base directory specification (`XDG_DATA_HOME`, `XDG_CACHE_HOME`, `XDG_STATE_HOME`),
/// with defaults below the home folder. As that specification requires, relative paths are ignored. Folders are created
/// on demand, accessible only to their owner.
///
/// | | systemd | XDG | default |
/// | --- | --- | --- | --- |
/// | ``data`` | `$STATE_DIRECTORY/data` | `$XDG_DATA_HOME/coreml` | `~/.local/share/coreml` |
/// | ``cache`` | `$CACHE_DIRECTORY` | `$XDG_CACHE_HOME/coreml` | `~/.cache/coreml` |
/// | ``state`` | `$STATE_DIRECTORY/state` | `$XDG_STATE_HOME/coreml` | `~/.local/state/coreml` |
public struct DeliveryDirectories: Sendable, Hashable {
  /// Persistent user data: models.
  public let data: URL
  /// Data that can be recreated: compiled models, device programs, measurements.
  public let cache: URL
  /// Internal state that must persist.
  public let state: URL

  /// Installed models, by name.
  public var models: URL { data.appending(path: "models", directoryHint: .isDirectory) }
  /// The compiled models of source models.
  public var compiledModels: URL { cache.appending(path: "compiled", directoryHint: .isDirectory) }

  /// Records of the models that passed their trial on each device.
  var verdicts: URL { cache.appending(path: "verdicts", directoryHint: .isDirectory) }
  /// Incomplete downloads.
  public var downloads: URL { cache.appending(path: "downloads", directoryHint: .isDirectory) }

  /// Finds the folders from an environment; nothing is created.
  ///
  /// - Throws: ``DeliveryError`` if the environment names no folder and the user has no home folder.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    func absolute(_ path: String?) -> URL? {
      guard let path, path.hasPrefix("/") else { return nil }
      return URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
    }
    // A unit may list several folders; the first one is used.
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

  /// Creates the cache folder with a cache tag that excludes it from backups, and returns it.
  @discardableResult public func makeCache() throws -> URL {
    try Self.makeFolder(cache)
    try CacheTag.write(in: cache)
    return cache
  }

  /// Creates a folder and its parents, by default accessible only to their owner. Existing folders are not changed.
  /// `mkdir` gets the mode, so the process's umask can only restrict it.
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
        // Even if nothing may be created here, an existing folder is fine.
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

/// Returns the system's description of a Foundation error.
func reason(_ error: any Error) -> String {
  if let posix = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError {
    return String(cString: strerror(posix.code.rawValue))
  }
  return (error as NSError).localizedDescription
}
