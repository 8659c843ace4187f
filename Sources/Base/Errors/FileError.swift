/// An error of reading or writing a file: a stable code, and a sentence that says what was expected and what was found.
///
/// Modules that read a format add codes of their own in extensions of `Code`.
package struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The stable name of a kind of error: for programs; `message` is for people.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package init(_ rawValue: String) { self.rawValue = rawValue }
  }

  package let code: Code
  /// A sentence that says what was expected and what was found.
  package let message: String
  /// The file at fault; nil for bytes that came from memory.
  package let file: String?

  package init(_ code: Code, _ message: String, file: String? = nil) {
    self.code = code
    self.message = message
    self.file = file
  }

  package var description: String { file.map { "\($0): \(message)" } ?? message }
}

extension FileError.Code {
  /// The file cannot be opened, read or mapped.
  package static let unreadable = Self("unreadable")
  /// The path names a folder, a pipe or a device, and a file is needed.
  package static let notAFile = Self("notAFile")
  /// A range ends after the last byte.
  package static let outOfBounds = Self("outOfBounds")
  /// A file cannot be created, written or renamed to its place.
  package static let unwritable = Self("unwritable")
}
