import Foundation

/// Image files, which are read completely. Pipes and devices are refused, as they may be endless.
package enum PictureFile {
  /// - Throws: `ImageError`: `io` for a file that cannot be opened or read or is not regular; `outOfMemory`.
  package static func contents(_ path: String) throws(ImageError) -> Data {
    // The check uses the open file, not the path. O_NONBLOCK: opening a pipe must not wait for a writer.
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw ImageError(.io, "the picture cannot be opened: \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ImageError(.io, "the picture cannot be read: it is no regular file")
    }
    let size = Int(status.st_size)
    guard size > 0 else { return Data() }
    guard let memory = malloc(size) else {
      throw ImageError(.outOfMemory, "there is no memory for the \(size) bytes of the picture")
    }
    var count = 0
    while count < size {
      let part = read(file, memory + count, size - count)
      if part < 0, errno == EINTR { continue }
      guard part >= 0 else {
        let reason = String(cString: strerror(errno))
        free(memory)
        throw ImageError(.io, "the picture cannot be read: \(reason)")
      }
      if part == 0 { break }
      count += part
    }
    return Data(bytesNoCopy: memory, count: count, deallocator: .free)
  }

  /// Nil if the file is missing or cannot be read.
  package static func contents(_ url: URL) -> Data? { url.isFileURL ? try? contents(url.path) : nil }
}
