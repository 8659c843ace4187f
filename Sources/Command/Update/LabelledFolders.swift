import CoreML
import FeatureFiles
import Foundation

/// A folder of folders: the pictures in each are examples, and its name is their label.
struct LabelledFolders: BatchRows {
  private let examples: [(path: String, label: String)]
  private let reader: FeatureReader
  private let label: MLFeatureDescription

  /// Nil for a folder without subfolders.
  init?(_ path: String, _ reader: FeatureReader, label: MLFeatureDescription?) throws {
    let names = try FileNames.list(path)
    func isFolder(_ path: String) -> Bool {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
    let labels = names.filter { !$0.hasPrefix(".") && isFolder("\(path)/\($0)") }.sorted()
    guard !labels.isEmpty else { return nil }
    guard let label, label.type == .string || label.type == .int64 else {
      throw Failure(.data, "\(path): folders stand for labels, and the model is not trained with a label")
    }
    self.label = label
    self.reader = reader
    var left = 0
    examples = try labels.flatMap { label in
      let files = try FileNames.list("\(path)/\(label)").filter { !$0.hasPrefix(".") }.sorted()
        .map { "\(path)/\(label)/\($0)" }
      // A picture of an unreadable format ends the training with an error that names it.
      let pictures = files.filter { file in
        var status = stat()
        if stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG { return false }
        return switch RowFile(file) {
        case .picture, .unreadablePicture: true
        case .json, .arrays, .other: false
        }
      }
      left += files.count - pictures.count
      return pictures.map { ($0, label) }
    }
    if left > 0 { Console.remark("\(path): left out \(left) items in its folders that are not pictures") }
    guard !examples.isEmpty else { throw Failure(.data, "\(path): expected pictures in its folders, found none") }
  }

  var count: Int { examples.count }
  func name(_ index: Int) -> String { examples[index].path }
  var areFiles: Bool { true }

  func append(_ index: Int, to fingerprint: inout Fingerprint) {
    fingerprint.append(examples[index].path)
    fingerprint.append(fileAt: examples[index].path)
  }

  func features(_ index: Int) throws -> [String: MLFeatureValue] {
    let (path, name) = examples[index]
    var features = try reader.read(path)
    if label.type == .string {
      features[label.name] = MLFeatureValue(string: name)
    } else {
      guard let number = Int64(name) else {
        throw Failure(.data, "\(path): the label '\(label.name)' is an integer, its folder is called '\(name)'")
      }
      features[label.name] = MLFeatureValue(int64: number)
    }
    return features
  }
}
