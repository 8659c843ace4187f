import Foundation

/// Keeps results from overwriting their inputs and each other.
enum OutputsApart {
  /// Throws if an output is one of the input files, under any path.
  static func require(_ outputs: [String], from inputs: [String]) throws {
    for output in outputs {
      guard let file = identity(output) else { continue }
      if let input = inputs.first(where: { identity($0) == file }) {
        throw Failure(.usage, "\(output): expected another output than the file \(input), which is read")
      }
    }
  }

  /// Throws if a result in a folder would overwrite a picture that a row names.
  static func requirePicturesApart(from folder: String, _ results: [String], of batch: BatchSink.Batch) throws {
    let there = Set(results.compactMap { identity("\(folder)/\($0)") })
    guard !there.isEmpty else { return }
    for row in 0..<batch.rows.count {
      for picture in batch.rows.pictures(row) {
        guard let identity = identity(picture), there.contains(identity) else { continue }
        throw Failure(
          .usage, "--output \(folder): expected another folder than that of \(picture), which row \(row + 1) names")
      }
    }
  }

  /// Throws if results of a batch go into the folder that they are compared with.
  static func require(_ output: String, apartFrom expected: String) throws {
    var (one, other) = (stat(), stat())
    guard stat(output, &one) == 0, stat(expected, &other) == 0, one.st_ino == other.st_ino, one.st_dev == other.st_dev
    else { return }
    throw Failure(.usage, "\(output): expected another output than \(expected), which results are compared with")
  }

  /// Throws if two outputs have the same path.
  static func requireDistinct(_ outputs: [String]) throws {
    var known: Set<String> = []
    for output in outputs where output != StandardInput.path && access(output, F_OK) != 0 || identity(output) != nil {
      guard !known.insert(URL(filePath: output).standardizedFileURL.resolvingSymlinksInPath().path).inserted else {
        continue
      }
      throw Failure(.usage, "\(output): expected one output of that path, found two")
    }
  }

  /// Throws if an output that is a file has the name of a folder.
  static func requireFiles(_ outputs: [String]) throws {
    for output in outputs where !URL(filePath: output).pathExtension.isEmpty {
      var status = stat()
      let isFolder = stat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      guard isFolder || output.hasSuffix("/") else { continue }
      throw Failure(.cannotWrite, "\(output): expected the name of a file, found a folder")
    }
  }

  /// The device and inode number of a regular file.
  private static func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }
}
