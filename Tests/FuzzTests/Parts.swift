import Foundation

/// Several files in one input. Each file starts after a marker and a byte that selects its name. The bytes before the
/// first marker are the file with the first name. A fuzzer can cut, join and reorder files without knowing their
/// lengths.
struct Parts {
  static let mark: [UInt8] = [0x1e, 0x46, 0x5a]

  let files: [(name: String, bytes: [UInt8])]

  init(_ input: UnsafeRawBufferPointer, names: [String]) {
    var files: [(name: String, bytes: [UInt8])] = []
    var name = names[0]
    var start = 0
    var place = 0
    while place + Self.mark.count < input.count {
      guard input[place..<place + Self.mark.count].elementsEqual(Self.mark) else {
        place += 1
        continue
      }
      files.append((name, Array(input[start..<place])))
      name = names[Int(input[place + Self.mark.count]) % names.count]
      place += Self.mark.count + 1
      start = place
    }
    files.append((name, Array(input[start...])))
    self.files = files
  }

  /// The last file with this name.
  subscript(_ name: String) -> [UInt8]? { files.last { $0.name == name }?.bytes }

  /// Calls `body` with a folder that contains the files, and removes it afterwards.
  func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-fuzz-\(UUID().uuidString).mlmodelc")
    let manager = FileManager.default
    defer { try? manager.removeItem(at: folder) }
    for (name, bytes) in files where !bytes.isEmpty {
      let file = folder.appending(path: name)
      try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    try body(folder.path)
  }
}
