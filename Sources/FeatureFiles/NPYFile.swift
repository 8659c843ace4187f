import CoreMLBase
import Foundation
import MIL

/// `.npy` files: one array.
public enum NPYFile {
  /// The number of bytes to read between checks for cancellation.
  private static let piece = 1 << 24

  /// The array in a file.
  public static func read(_ path: String) throws -> NPYArray { try read(path) { try $0.array() } }

  /// The result of `body` for the array in a file. The elements are only accessible while `body` runs.
  public static func read<Value>(_ path: String, _ body: (NPYElements) throws -> Value) throws -> Value {
    let size = try FileBytes.size(path)
    guard let file = fopen(path, "rb") else {
      throw FeatureFileError(.unreadable, "\(path): the file cannot be opened: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    let elements = try NPYElements(path, size: size) { target, count in
      var got = 0
      while got < count {
        try Cancellation.check()
        let read = fread(target + got, 1, min(count - got, piece), file)
        guard ferror(file) == 0 else {
          throw FeatureFileError(.unreadable, "\(path): the file cannot be read: \(String(cString: strerror(errno)))")
        }
        if read == 0 { break }
        got += read
      }
      return got
    }
    return try body(elements)
  }
}
