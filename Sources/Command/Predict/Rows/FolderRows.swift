import CoreML
import FeatureFiles
import Foundation

/// A folder: its pictures, `.json` and `.npz` files, ordered by name, or by path if it includes its subfolders.
struct FolderRows: BatchRows {
  private let folder: String
  /// Paths relative to the folder.
  private let relative: [String]
  private let names: [String]
  private let reader: FeatureReader
  private let isRecursive: Bool

  init(_ path: String, _ reader: FeatureReader, isRecursive: Bool = false) throws {
    self.reader = reader
    self.isRecursive = isRecursive
    let listing = try FolderListing(path, reader, isRecursive: isRecursive)
    relative = listing.files
    guard !relative.isEmpty else {
      let found = listing.leftOut.map { ": left out \($0)" } ?? ""
      throw Failure(.data, "\(path): expected images, .json or .npz files, found none\(found)")
    }
    if let leftOut = listing.leftOut { Console.remark("\(path): left out \(leftOut)") }
    folder = path
    // Files that differ only in their suffix keep it in their row names.
    let stems = relative.map { file in
      let name = file.lastIndex(of: "/").map { file[file.index(after: $0)...] } ?? file[...]
      return file.dropLast(name.count) + URL(filePath: String(name)).deletingPathExtension().lastPathComponent
    }
    let counts = Dictionary(grouping: stems) { $0 }.mapValues(\.count)
    let names = zip(relative, stems).map { file, stem in counts[stem] == 1 ? String(stem) : file }
    self.names = Set(names).count == names.count ? names : relative
  }

  var count: Int { relative.count }
  var files: [String] { names.indices.map(path) }
  func name(_ index: Int) -> String { names[index] }
  func title(_ index: Int) -> MLFeatureValue { MLFeatureValue(string: relative[index]) }

  /// Throws if results in a folder would also be rows.
  ///
  /// - Parameter kinds: Suffixes of result files.
  func check(output: String, kinds: [String]) throws {
    var (mine, place) = (stat(), URL(filePath: output).resolvingSymlinksInPath().standardizedFileURL)
    guard stat(folder, &mine) == 0 else { return }
    var isItself = true
    while true {
      var other = stat()
      if stat(place.path, &other) == 0, mine.st_ino == other.st_ino, mine.st_dev == other.st_dev { break }
      guard isRecursive, place.path != "/" else { return }
      place.deleteLastPathComponent()
      isItself = false
    }
    let result = relative.first { kinds.contains(URL(filePath: $0).pathExtension.lowercased()) }
    if isItself, let result {
      throw Failure(.usage, "--output \(output): '\(result)' would be both a row and the result of one")
    }
    if isRecursive { throw Failure(.usage, "--output \(output): files in the batch's folder would be rows, too") }
  }

  private func path(_ index: Int) -> String { "\(folder)/\(relative[index])" }

  var areFiles: Bool { true }

  func append(_ index: Int, to fingerprint: inout Fingerprint) {
    fingerprint.append(row: relative[index], at: path(index), reader)
  }

  func pictures(_ index: Int) -> [String] { reader.pictures(ofFile: path(index)) }
  func features(_ index: Int) throws -> [String: MLFeatureValue] { try reader.read(path(index)) }
}
