import CArchive
import CoreMLDelivery
import Foundation
import TestSupport
import Testing

/// Damage that archive checksums detect. Unpacked data never differs from the packed data.
@Suite(.tags(.process)) struct ArchiveChecksumTests {
  private let folder: TemporaryFolder
  private let contents: [String: Data]

  init() throws {
    folder = try TemporaryFolder()
    // Random bytes, so that every byte of the archive matters, and compressible text.
    var (state, noise) = (UInt64(7), Data())
    for _ in 0..<400 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      noise.append(UInt8(state >> 56))
    }
    contents = ["m/noise": noise, "m/text": Data(String(repeating: "a model, ", count: 60).utf8)]
  }

  private func tar() throws -> [UInt8] {
    let file = folder.url.appending(path: "plain.tar.gz")
    let entries = contents.sorted { $0.key < $1.key }.map { Samples.Entry(name: $0.key, content: $0.value) }
    try Samples.archive(entries, to: file)
    return try Self.piped(Array(Data(contentsOf: file)), "gzip", "-dc")
  }

  /// Returns the output of a program for the given input.
  private static func piped(_ bytes: [UInt8], _ words: String...) throws -> [UInt8] {
    let place = try TemporaryFolder()
    let input = place.url.appending(path: "in")
    try Data(bytes).write(to: input)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: place.write("", to: "out"))
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return Array(try Data(contentsOf: place.url.appending(path: "out")))
  }

  /// Compresses bytes with a filter of libarchive.
  private static func compressed(_ bytes: [UInt8], _ filter: (OpaquePointer?) -> Int32) throws -> [UInt8] {
    let place = try TemporaryFolder()
    let file = place.url.appending(path: "out")
    let archive = try #require(archive_write_new())
    defer { archive_write_free(archive) }
    #expect(filter(archive) == ARCHIVE_OK && archive_write_set_format_raw(archive) == ARCHIVE_OK)
    archive_write_set_bytes_in_last_block(archive, 1)
    #expect(archive_write_open_filename(archive, file.path) == ARCHIVE_OK)
    let entry = try #require(archive_entry_new())
    defer { archive_entry_free(entry) }
    archive_entry_set_pathname(entry, "data")
    archive_entry_set_filetype(entry, 0o100000)
    #expect(archive_write_header(archive, entry) == ARCHIVE_OK)
    #expect(archive_write_data(archive, bytes, bytes.count) == bytes.count)
    #expect(archive_write_close(archive) == ARCHIVE_OK)
    return Array(try Data(contentsOf: file))
  }

  /// Returns the unpacked files by path.
  private func unpacked(_ bytes: [UInt8]) throws -> [String: Data] {
    let place = try TemporaryFolder()
    let file = place.url.appending(path: "archive")
    try Data(bytes).write(to: file)
    let target = place.url.appending(path: "target", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    try ArchiveUnpacker.unpack(file, into: target)
    var found: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: target.path) {
      let url = target.appending(path: path)
      if (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true {
        found[path] = try Data(contentsOf: url)
      }
    }
    return found
  }

  static let filters: [(name: String, add: @Sendable (OpaquePointer?) -> Int32)] = [
    ("gzip", { archive_write_add_filter_gzip($0) }), ("bzip2", { archive_write_add_filter_bzip2($0) }),
    ("xz", { archive_write_add_filter_xz($0) }), ("zstd", { archive_write_add_filter_zstd($0) }),
  ]

  /// Changes each byte of the archive in turn. Not for zstd, whose frames have only an optional checksum.
  @Test(arguments: ["gzip", "bzip2", "xz"]) func everyChangedByteIsFound(name: String) throws {
    let filter = try #require(Self.filters.first { $0.name == name })
    let whole = try Self.compressed(tar(), filter.add)
    #expect(try unpacked(whole) == contents)
    var refused = 0
    for place in whole.indices {
      var damaged = whole
      damaged[place] ^= 1 << (place % 8)
      do { #expect(try unpacked(damaged) == contents, "\(name): byte \(place)") } catch is DeliveryError {
        refused += 1
      }
    }
    // Undetected changes are limited to header fields such as times and comments.
    #expect(refused > whole.count - 40, "\(name): \(refused) of \(whole.count)")
  }

  @Test func everyChangedByteOfAZipIsFound() throws {
    let file = folder.url.appending(path: "a.zip")
    let entries = contents.map { Samples.Entry(name: $0.key, content: $0.value) }
    try Samples.archive(entries, to: file, zip: true)
    let whole = Array(try Data(contentsOf: file))
    #expect(try unpacked(whole) == contents)
    let known = Set(contents.values)
    for place in whole.indices {
      var damaged = whole
      damaged[place] ^= 1 << (place % 8)
      // Zip has checksums of the data but not of the names.
      guard let found = try? unpacked(damaged) else { continue }
      #expect(Set(found.values).isSubset(of: known), "byte \(place)")
    }
  }

  @Test(arguments: filters.indices) func manyMembersAreOneAndWhatFollowsIsRefused(index: Int) throws {
    let (name, add) = Self.filters[index]
    let tar = try tar()
    let (one, two) = (try Self.compressed(Array(tar[..<700]), add), try Self.compressed(Array(tar[700...]), add))
    #expect(try unpacked(one + two) == contents, "\(name)")
    for length in 1...8 {
      expect(.archiveTruncated, orDamaged: true) { try unpacked(Array((one + two).dropLast(length))) }
    }
    expect(.archiveDamaged, orDamaged: true) { try unpacked(one + two + Array("garbage".utf8)) }
    // Damage after the last entry, in the padding of the tar file.
    var late = try Self.compressed(tar + [UInt8](repeating: 0, count: 300_000), add)
    #expect(try unpacked(late) == contents, "\(name)")
    if name != "zstd" {
      late[late.count - 6] ^= 1
      expect(.archiveDamaged, orDamaged: true) { try unpacked(late) }
    }
    if ["gzip", "bzip2"].contains(name) {
      #expect(try unpacked(one + two + [UInt8](repeating: 0, count: 1024)) == contents, "\(name)")
      expect(.archiveDamaged, orDamaged: true) { try unpacked(one + two + [0, 0, 1]) }
    }
  }

  @Test func theLengthAndTheChecksumOfGzipAreChecked() throws {
    let whole = try Self.compressed(tar(), Self.filters[0].add)
    for place in 1...8 {
      var damaged = whole
      damaged[whole.count - place] ^= 0x40
      expect(.archiveDamaged) { try unpacked(damaged) }
    }
    // A second member that is incomplete.
    expect(.archiveTruncated) { try unpacked(whole + [0x1F]) }
    expect(.archiveTruncated) { try unpacked(whole + whole.prefix(30)) }
  }

  /// Padding is read to its end, within the limit on the ratio.
  @Test func endlessPaddingIsRefused() throws {
    let bytes = try Self.compressed(tar() + [UInt8](repeating: 0, count: 66 << 20), Self.filters[0].add)
    expect(.archiveRatio) { try unpacked(bytes) }
  }

  private func expect<Result>(
    _ code: DeliveryError.Code, orDamaged: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Result
  ) {
    let error = #expect(throws: DeliveryError.self, sourceLocation: sourceLocation) { _ = try body() }
    let codes = orDamaged ? [code, .archiveDamaged, .archiveTruncated] : [code]
    #expect(codes.contains { $0 == error?.code }, "\(String(describing: error))", sourceLocation: sourceLocation)
  }
}
