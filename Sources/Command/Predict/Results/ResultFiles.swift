import CoreMLBase
import CoreMLSpec
import FeatureFiles

/// The files of a row's results, under temporary names.
struct ResultFiles {
  let name: String
  private let folder: String
  private(set) var writers: [FileWriter] = []
  /// Digests by kind.
  private(set) var digests: [String: String] = [:]

  /// - Parameter prepare: Creates the folder for files of this name.
  init(_ folder: String, _ name: String, _ prepare: (String) throws -> Void) rethrows {
    (self.folder, self.name) = (folder, name)
    try prepare(name)
  }

  mutating func add(_ kind: String, _ bytes: [UInt8]) throws {
    let file = try FileWriter(path: "\(folder)/\(name).\(kind)")
    try file.append(bytes)
    writers.append(file)
    var fingerprint = Fingerprint()
    bytes.withUnsafeBytes { fingerprint.append($0) }
    digests[kind] = fingerprint.text
  }

  mutating func add(arrays: [(name: String, array: NPYArray)]) throws {
    let file = try NPZ.writer(arrays, to: "\(folder)/\(name).npz")
    writers.append(file)
    digests["npz"] = Fingerprint.digest(ofFileAt: file.partial)
  }

  /// The entry of the files in the run record. `kinds` are all possible kinds.
  func result(_ kinds: [String]) -> String {
    let words = kinds.enumerated().compactMap { place, kind in digests[kind].map { "\(place)=\($0)" } }
    // A line of the record has a word for each part, also if a row wrote no file.
    return words.isEmpty ? "-" : words.joined(separator: ",")
  }
}
