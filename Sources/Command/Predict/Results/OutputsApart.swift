import Foundation

/// Keeps results from taking the place of what they are made from, and of each other.
enum OutputsApart {
  /// Throws where an output is one of the files that are read, by whatever path.
  static func require(_ outputs: [String], from inputs: [String]) throws {
    for output in outputs {
      guard let file = identity(output) else { continue }
      if let input = inputs.first(where: { identity($0) == file }) {
        throw Failure(.usage, "\(output): expected another output than the file \(input), which is read")
      }
    }
  }

  /// Throws where two outputs have one path.
  static func requireDistinct(_ outputs: [String]) throws {
    var known: Set<String> = []
    for output in outputs where output != StandardInput.path && access(output, F_OK) != 0 || identity(output) != nil {
      guard !known.insert(URL(filePath: output).standardizedFileURL.resolvingSymlinksInPath().path).inserted else {
        continue
      }
      throw Failure(.usage, "\(output): expected one output of that path, found two")
    }
  }

  /// The device and number of a regular file.
  private static func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }
}
