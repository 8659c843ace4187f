import CoreMLBase
import Foundation

/// A file's size and SHA-256, computed by streaming.
struct FileDigest: Equatable {
  let size: Int64
  let sha256: String

  init(size: Int64, sha256: String) {
    self.size = size
    self.sha256 = sha256
  }

  init(of file: URL) throws {
    var sha = SHA256Digest()
    var size: Int64 = 0
    let stream = try DecompressingStream(.none, file: file)
    let buffer = try WorkingMemory.take()
    defer { WorkingMemory.giveBack(buffer) }
    while true {
      let count = try stream.read(into: buffer)
      if count == 0 { break }
      sha.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      size += Int64(count)
    }
    self.size = size
    sha256 = sha.hexadecimal()
  }
}
