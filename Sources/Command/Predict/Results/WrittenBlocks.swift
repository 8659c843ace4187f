import FeatureFiles
import Foundation

/// The blocks of lines that a run wrote to a file, checked against its record.
final class WrittenBlocks {
  private let file: Int32
  private let path: String
  private let header: [UInt8]
  private let entries: [RunRecord.Entry]

  /// Whether the file begins with the header; set by `first`.
  private(set) var hasHeader = false
  /// The byte offset after the last complete block; set by `first`.
  private(set) var end = 0
  /// The line numbers of the first block that is complete but differs from its record.
  private(set) var changed: ClosedRange<Int>?

  init(_ file: Int32, _ path: String, header: [UInt8], _ entries: [RunRecord.Entry]) {
    (self.file, self.path, self.header, self.entries) = (file, path, header, entries)
  }

  /// The record of a block's lines: their length in bytes and their digest.
  static func result(_ bytes: [UInt8]) -> String {
    var fingerprint = Fingerprint()
    bytes.withUnsafeBytes { fingerprint.append($0) }
    return "\(bytes.count):\(fingerprint.text)"
  }

  /// The number of complete blocks at the start of the file.
  func first() throws -> Int {
    let size = try size()
    guard header.count <= size else { return 0 }
    guard try matches(Self.result(header), at: 0, header.count) else {
      changed = 1...1
      return 0
    }
    (hasHeader, end) = (true, header.count)
    var line = header.isEmpty ? 1 : 2
    for (number, entry) in entries.enumerated() {
      let lines = entry.outcomes.count - entry.outcomes.count(of: .skipped)
      if entry.result != "-" {
        guard let bytes = entry.result.split(separator: ":").first.flatMap({ Int($0) }), bytes >= 0, bytes <= size - end
        else {
          return number
        }
        guard try matches(entry.result, at: end, bytes) else {
          changed = line...max(line, line + lines - 1)
          return number
        }
        end += bytes
      }
      line += lines
    }
    return entries.count
  }

  private func matches(_ result: String, at place: Int, _ count: Int) throws -> Bool {
    var fingerprint = Fingerprint()
    var buffer = [UInt8](repeating: 0, count: min(max(count, 1), 1 << 20))
    var left = count
    while left > 0 {
      let got = pread(file, &buffer, min(left, buffer.count), off_t(place + count - left))
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else {
        throw Failure(.io, "\(path): the file cannot be read: \(String(cString: strerror(errno)))")
      }
      guard got > 0 else { return false }
      buffer.withUnsafeBytes { fingerprint.append(UnsafeRawBufferPointer(rebasing: $0[..<got])) }
      left -= got
    }
    return result == "\(count):\(fingerprint.text)"
  }

  /// The size of the file in bytes.
  func size() throws -> Int {
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw Failure(.io, "\(path): the file cannot be examined: \(String(cString: strerror(errno)))")
    }
    return Int(status.st_size)
  }
}
