import Foundation

/// File names are bytes to the system, and text here. A name that is not UTF-8 is refused, so that it never selects
/// another file.
enum FileNames {
  /// The names in a folder.
  static func list(_ path: String) throws -> [String] {
    guard let folder = opendir(path) else {
      throw Failure(.io, "\(path): the folder cannot be listed: \(String(cString: strerror(errno)))")
    }
    defer { closedir(folder) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(folder) else {
        guard errno == 0 else {
          throw Failure(.io, "\(path): the folder cannot be listed: \(String(cString: strerror(errno)))")
        }
        return names
      }
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw Failure(.data, "\(path): \(refusal("the name of a file", bytes))")
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  /// Refuses arguments that are not UTF-8: their conversion to text would name other files.
  static func checkArguments() throws {
    for index in 1..<max(Int(CommandLine.argc), 1) {
      guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
      let bytes = Array(UnsafeRawBufferPointer(start: word, count: strlen(word)))
      throw Failure(.usage, refusal("argument \(index)", bytes))
    }
  }

  private static func refusal(_ what: String, _ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes.prefix(200) {
      let isPlain = (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\\")
      text +=
        isPlain ? String(UnicodeScalar(byte)) : "\\x" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    return "\(what) is not UTF-8: '\(text)'; rename the file (`convmv -f latin1 -t utf8` does it for many)"
  }
}
