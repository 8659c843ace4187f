import Foundation

/// Reads whole files.
public enum FileBytes {
  /// The size in bytes of a regular file. Throws for pipes and devices, since reading them could block forever.
  static func size(_ path: String) throws -> Int {
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0 else {
      throw FeatureFileError(.unreadable, "\(path): the file cannot be opened: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FeatureFileError(.unreadable, "\(path): expected a file, found a folder, a pipe or a device")
    }
    return Int(status.st_size)
  }

  /// The system's message for an error of Foundation.
  static func reason(_ error: any Error) -> String {
    if let posix = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError {
      return String(cString: strerror(posix.code.rawValue))
    }
    return (error as NSError).localizedDescription
  }

  /// The bytes of a regular file.
  public static func read(_ path: String) throws -> Data {
    // Foundation leaks some kilobytes each time it reads an empty file.
    guard try size(path) > 0 else { return Data() }
    do {
      return try Data(contentsOf: URL(filePath: path))
    } catch {
      throw FeatureFileError(.unreadable, "\(path): the file cannot be read: \(Self.reason(error))")
    }
  }
}
