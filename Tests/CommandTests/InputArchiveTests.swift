import CArchive
import FeatureFiles
import Foundation
import TestSupport
import Testing

/// Arrays in `.npz` files with less data than their header claims, or with more data than a model needs.
@Suite(.tags(.process)) struct InputArchiveTests {
  private let folder: Scratch
  private static let zeros = "{'descr': '<f4', 'fortran_order': False, 'shape': "

  init() throws { folder = try Scratch() }

  /// A deflated archive with one `.npy` entry: a header with the shape, followed by `zeros` zero bytes.
  private func archive(_ shape: String, zeros: Int, name: String = "x") throws -> String {
    let header = Array("\(Self.zeros)(\(shape)), }".utf8)
    let npy = [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(header.count & 255), UInt8(header.count >> 8)] + header
    let path = folder.url.appending(path: "\(UUID().uuidString).npz").path
    let writer = try #require(archive_write_new())
    defer { archive_write_free(writer) }
    archive_write_set_format_zip(writer)
    archive_write_zip_set_compression_deflate(writer)
    try #require(archive_write_open_filename(writer, path) == ARCHIVE_OK)
    let entry = try #require(archive_entry_new())
    defer { archive_entry_free(entry) }
    archive_entry_set_pathname(entry, "\(name).npy")
    archive_entry_set_size(entry, Int64(npy.count + zeros))
    archive_entry_set_filetype(entry, 0o100000)
    // ARCHIVE_WARN is accepted: libarchive writes a name that the locale cannot represent all the same.
    try #require(archive_write_header(writer, entry) >= ARCHIVE_WARN)
    try #require(archive_write_data(writer, npy, npy.count) == npy.count)
    let block = [UInt8](repeating: 0, count: 1 << 20)
    for start in stride(from: 0, to: zeros, by: block.count) {
      let count = min(block.count, zeros - start)
      try #require(archive_write_data(writer, block, count) == count)
    }
    try #require(archive_write_close(writer) == ARCHIVE_OK)
    return path
  }

  private func refused(_ path: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: FeatureFileError.self, sourceLocation: sourceLocation) { try NPZ.read(path) }
    #expect(error?.code == .invalid, sourceLocation: sourceLocation)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
  }

  @Test func whatIsThereIsRead() throws {
    let arrays = try NPZ.read(archive("3, 5", zeros: 60))
    #expect(arrays["x"]?.shape == [3, 5] && arrays["x"]?.bytes == [UInt8](repeating: 0, count: 60))
    #expect(try NPZ.read(archive("0, 1048576, 4", zeros: 0))["x"]?.count == 0)
  }

  /// As NumPy writes them: a flag says that names are UTF-8. Without the flag, names are bytes.
  @Test(arguments: [false, true]) func namesBeyondASCIIAreRead(_ isMarked: Bool) throws {
    let path = try archive("2,", zeros: 8, name: "modèle 模")
    var bytes = try Data(contentsOf: URL(filePath: path))
    for (header, flags) in [([0x50, 0x4B, 3, 4] as [UInt8], 7), ([0x50, 0x4B, 1, 2], 9)] {
      let place = try #require(bytes.firstRange(of: header)).lowerBound + flags
      bytes[place] = isMarked ? bytes[place] | 8 : bytes[place] & ~8
    }
    try bytes.write(to: URL(filePath: path))
    #expect(try NPZ.read(path)["modèle 模"]?.shape == [2])
  }

  @Test func aHeaderThatClaimsMoreIsRefused() throws {
    refused(try archive("1099511627776,", zeros: 16), "16 bytes are there")
    refused(try archive("4611686018427387904, 4611686018427387904", zeros: 16), "too large")
    refused(try archive("3, 5", zeros: 64), "bytes follow")
  }

  @Test func zerosThatInflateAThousandfoldAreRefused() throws {
    refused(try archive("33554432,", zeros: 1 << 27), "100 times")
  }

  @Test func anArrayThatNobodyAdmitsIsNotRead() throws {
    let path = try archive("1048576,", zeros: 1 << 22)
    #expect(throws: CancellationError.self) {
      try NPZ.read(path) { name, elements in
        let header = elements.header
        #expect(name == "x" && header.shape == [1 << 20] && header.byteCount == 1 << 22)
        throw CancellationError()
      }
    }
  }

  @Test func theCommandNamesWhatTheModelHas() throws {
    let model = CommandRun.digits.appending(path: "Digits.mlpackage").path
    for (name, word) in [("image", "image"), ("other", "no input 'other'")] {
      let path = try archive("1048576,", zeros: 1 << 22, name: name)
      try CommandRun(["predict", model, "--input", path], in: folder).failed(65, naming: word)
    }
  }
}
