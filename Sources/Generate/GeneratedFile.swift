import CoreMLBase
import CoreMLSpec
import Foundation

/// A file that was generated and is not written yet.
package struct GeneratedFile: Sendable {
  /// What each file says at its head, also those of Apple's tools: one that does not was written by somebody.
  static let mark = "This file was automatically generated and should not be edited."
  /// The bytes that count as the head: lines before the mark hold names of files.
  private static let head = 2048

  package let name: String
  package let text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// What stands in a file's place.
  package enum Standing: Sendable {
    case nothing
    /// A file of the same text.
    case same
    /// A file that was generated.
    case generated
    /// Something else, or what cannot be read.
    case foreign
  }

  /// Where the file will stand.
  package func place(in folder: URL) -> URL { folder.appending(path: name) }

  package func standing(in folder: URL) -> Standing {
    let path = place(in: folder).path
    var status = stat()
    guard lstat(path, &status) == 0 else { return .nothing }
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: Self.head)
    else { return .foreign }
    if Int(status.st_size) == text.utf8.count, text.utf8.starts(with: head), let rest = try? file.readToEnd() ?? Data(),
      text.utf8.dropFirst(head.count).elementsEqual(rest)
    {
      return .same
    }
    return head.range(of: Data(Self.mark.utf8)) == nil ? .foreign : .generated
  }

  /// Writes the file into a folder, whole or not at all; what stands there with the same text is left as it is, so that builds do not take
  /// it for new.
  package func write(into folder: URL) throws -> URL {
    let url = place(in: folder)
    if case .same = standing(in: folder) { return url }
    let file = try FileWriter(path: url.path)
    try file.append(Array(text.utf8))
    try file.commit()
    return url
  }
}
