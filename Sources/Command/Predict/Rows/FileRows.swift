import CoreML
import FeatureFiles
import Foundation

/// Files that the command line names, one row each: pictures, `.json` and `.npz`.
struct FileRows: BatchRows {
  private let paths: [String]
  private let names: [String]
  private let reader: FeatureReader

  init(_ paths: [String], _ reader: FeatureReader) throws {
    (self.paths, self.reader) = (paths, reader)
    for path in paths {
      guard RowFile(path) != .other else {
        throw Failure(.usage, "\(path): expected a picture, .json or .npz by its name")
      }
      guard access(path, F_OK) == 0 else { throw Failure(.io, "\(path): expected a row, found no such file") }
    }
    names = Self.names(paths.map { URL(filePath: $0) })
  }

  /// Names of result files: the row's file name without its suffix, with it if two names differ in nothing else, or the
  /// row's index if that is still ambiguous.
  private static func names(_ files: [URL]) -> [String] {
    let stems = files.map { $0.deletingPathExtension().lastPathComponent }
    let counts = Dictionary(grouping: stems) { $0 }.mapValues(\.count)
    let names = zip(files, stems).map { file, stem in counts[stem] == 1 ? stem : file.lastPathComponent }
    guard Set(names).count < names.count else { return names }
    return files.indices.map { number($0) }
  }

  var count: Int { paths.count }
  func name(_ index: Int) -> String { names[index] }
  func title(_ index: Int) -> MLFeatureValue { MLFeatureValue(string: paths[index]) }
  func pictures(_ index: Int) -> [String] { reader.pictures(ofFile: paths[index]) }
  func features(_ index: Int) throws -> [String: MLFeatureValue] { try reader.read(paths[index]) }

  var areFiles: Bool { true }

  func append(_ index: Int, to fingerprint: inout Fingerprint) {
    fingerprint.append(row: paths[index], at: paths[index], reader)
  }

  /// Throws if results in a folder would overwrite rows.
  ///
  /// - Parameter kinds: Suffixes of result files.
  func check(output: String, kinds: [String]) throws {
    for path in paths where kinds.contains(URL(filePath: path).pathExtension.lowercased()) {
      var (folder, place) = (stat(), stat())
      guard stat(output, &folder) == 0, stat(URL(filePath: path).deletingLastPathComponent().path, &place) == 0,
        folder.st_ino == place.st_ino, folder.st_dev == place.st_dev
      else { continue }
      throw Failure(.usage, "--output \(output): '\(path)' would be both a row and the result of one")
    }
  }
}
