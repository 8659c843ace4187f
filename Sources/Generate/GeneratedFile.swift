import CoreMLBase
import CoreMLSpec
import Foundation

/// A generated file that is not written yet.
package struct GeneratedFile: Sendable {
  /// The marker at the head of each generated file, also in those of Apple's tools. A file without it was written by
  /// hand.
  static let mark = "This file was automatically generated and should not be edited."
  /// Bytes of the head that are searched for the marker: file names come before it.
  private static let head = 2048

  package let name: String
  package let text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// What exists at a file's path.
  package enum Standing: Sendable {
    case nothing
    /// A file with the same text.
    case same
    /// A generated file.
    case generated
    /// Anything else, or something unreadable.
    case foreign
  }

  /// The file's URL in a folder.
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

  /// Writes the file into a folder, atomically. An existing file with the same text is not touched, so that builds do
  /// not see a change.
  package func write(into folder: URL) throws -> URL {
    let url = place(in: folder)
    if case .same = standing(in: folder) { return url }
    let file = try FileWriter(path: url.path)
    try file.append(Array(text.utf8))
    try file.commit()
    return url
  }
}
