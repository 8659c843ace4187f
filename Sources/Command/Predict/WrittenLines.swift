import FeatureFiles
import Foundation

/// The whole lines of a file that a run wrote, with a digest of each.
struct WrittenLines {
  private let file: Int32
  private let path: String
  /// Whether a line's end within quotes is part of a cell.
  private let isQuoted: Bool

  init(_ file: Int32, _ path: String, isQuoted: Bool) { (self.file, self.path, self.isQuoted) = (file, path, isQuoted) }

  /// The digests of the first whole lines, and the bytes of the file up to the end of each.
  func read(atMost most: Int) throws -> [(digest: String, end: Int)] {
    var lines: [(digest: String, end: Int)] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var (isWithinQuotes, offset, line) = (false, 0, Fingerprint())
    while lines.count < most {
      let got = pread(file, &buffer, buffer.count, off_t(offset))
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else {
        throw Failure(.io, "\(path): the file cannot be read: \(String(cString: strerror(errno)))")
      }
      guard got > 0 else { break }
      var start = 0
      for index in 0..<got where lines.count < most {
        if isQuoted, buffer[index] == 0x22 { isWithinQuotes.toggle() }
        guard buffer[index] == 0x0A, !isWithinQuotes else { continue }
        buffer.withUnsafeBytes { line.append(UnsafeRawBufferPointer(rebasing: $0[start..<index])) }
        lines.append((line.text, offset + index + 1))
        (line, start) = (Fingerprint(), index + 1)
      }
      buffer.withUnsafeBytes { line.append(UnsafeRawBufferPointer(rebasing: $0[start..<got])) }
      offset += got
    }
    return lines
  }

  /// The bytes of the whole file.
  func size() throws -> Int {
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw Failure(.io, "\(path): the file cannot be examined: \(String(cString: strerror(errno)))")
    }
    return Int(status.st_size)
  }
}
