import CoreMLImages
import Foundation
import Testing

/// Image files are read as a whole. Reading never waits for a file without an end.
@Suite struct PictureFileTests {
  private static func folder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pictures-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func aFileIsReadWhole() throws {
    try Self.folder { folder in
      let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
      let file = folder.appending(path: "picture")
      for data in [content, Data()] {
        try data.write(to: file)
        #expect(try PictureFile.contents(file.path) == data)
        #expect(PictureFile.contents(file) == data)
      }
    }
  }

  /// A pipe without a writer, a device without an end, a folder, and a missing file.
  @Test func whatIsNoFileIsRefusedAtOnce() throws {
    try Self.folder { folder in
      let pipe = folder.appending(path: "pipe")
      try #require(mkfifo(pipe.path, 0o600) == 0)
      for path in [pipe.path, "/dev/zero", folder.path, folder.appending(path: "nowhere").path] {
        let error = #expect(throws: ImageError.self) { try PictureFile.contents(path) }
        #expect(error?.code == .io, "\(path)")
        #expect(PictureFile.contents(URL(filePath: path)) == nil)
      }
      #expect(PictureFile.contents(try #require(URL(string: "https://example.com\(#filePath)"))) == nil)
    }
  }
}
