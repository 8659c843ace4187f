import CoreMLDelivery
import Foundation
import Testing

@Suite struct ArchiveTests {
  private let folder: TemporaryFolder
  private var target: URL { folder.url.appending(path: "inner/target", directoryHint: .isDirectory) }

  init() throws { folder = try TemporaryFolder() }

  private func unpack(_ file: URL, limits: ArchiveLimits = ArchiveLimits()) throws {
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    try ArchiveUnpacker.unpack(file, into: target, limits: limits)
  }

  @Test(arguments: ArchivePacker.Kind.allCases)
  func whatIsPackedComesOutTheSameAndPackingIsReproducible(kind: ArchivePacker.Kind) throws {
    let file = folder.url.appending(path: "a.\(kind.rawValue)")
    try ArchivePacker.pack(Samples.digits, to: file, kind: kind)
    // Times and modes of the source do not affect the archive.
    let copy = folder.url.appending(path: "copy/Digits.mlpackage")
    try FileManager.default.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: Samples.digits, to: copy)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700, .modificationDate: Date(timeIntervalSince1970: 1e9)],
      ofItemAtPath: copy.appending(path: "Manifest.json").path)
    let again = folder.url.appending(path: "b.\(kind.rawValue)")
    try ArchivePacker.pack(copy, to: again, kind: kind)
    #expect(try Data(contentsOf: file) == Data(contentsOf: again))
    try unpack(file)
    let model = try UnpackedModel.find(in: target)
    #expect(model.lastPathComponent == "Digits.mlpackage")
    #expect(try TreeDigest.digest(of: model) == TreeDigest.digest(of: Samples.digits))
  }

  /// A zip flag marks names as UTF-8; Windows and Python set it. Without it, names are bytes.
  @Test(arguments: [false, true]) func namesBeyondASCIIComeOut(_ isMarked: Bool) throws {
    let file = folder.url.appending(path: "a.zip")
    try Samples.archive([Samples.Entry(name: "modèle 模.mlmodel", content: Data("m".utf8))], to: file, zip: true)
    var bytes = try Data(contentsOf: file)
    for (header, flags) in [([0x50, 0x4B, 3, 4] as [UInt8], 7), ([0x50, 0x4B, 1, 2], 9)] {
      let place = try #require(bytes.firstRange(of: header)).lowerBound + flags
      bytes[place] = isMarked ? bytes[place] | 8 : bytes[place] & ~8
    }
    try bytes.write(to: file)
    try unpack(file)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["modèle 模.mlmodel"])
  }

  @Test(arguments: ArchivePacker.Kind.allCases)
  func anArchiveThatIsCutShortIsRefused(kind: ArchivePacker.Kind) throws {
    let file = folder.url.appending(path: "a.\(kind.rawValue)")
    try ArchivePacker.pack(Samples.digits, to: file, kind: kind)
    let whole = try Data(contentsOf: file)
    for length in [whole.count - 1, whole.count / 2, whole.count / 10] {
      try whole.prefix(length).write(to: file)
      try? FileManager.default.removeItem(at: target)
      let error = #expect(throws: DeliveryError.self, "\(kind) cut to \(length) of \(whole.count)") { try unpack(file) }
      // A zip file without its end is not recognised as a zip file.
      let codes: [DeliveryError.Code] =
        [.archiveTruncated, .archiveDamaged] + (kind == .zip ? [.archiveUnsupported] : [])
      #expect(codes.contains { $0 == error?.code }, "\(String(describing: error))")
    }
  }

  private static let file = Samples.Entry(name: "a", content: Data("x".utf8))
  static let hostile: [(String, [Samples.Entry], DeliveryError.Code)] = [
    ("absolute", [.init(name: "/etc/x", content: Data("x".utf8))], .archiveAbsolutePath),
    ("parent", [.init(name: "../x", content: Data("x".utf8))], .archiveParentPath),
    ("parent within", [.init(name: "a/../../x", content: Data("x".utf8))], .archiveParentPath),
    ("symbolic link", [.init(name: "a", kind: 0o120000, link: "/etc"), .init(name: "a/x")], .archiveLink),
    ("hard link", [file, .init(name: "b", hardLink: "a")], .archiveLink),
    ("pipe", [.init(name: "a", kind: 0o010000)], .archiveDevice),
    ("device", [.init(name: "a", kind: 0o020000)], .archiveDevice),
    ("case", [file, .init(name: "A", content: Data("y".utf8))], .archiveCaseClash),
    ("case of folders", [.init(name: "d/a"), .init(name: "D/b")], .archiveCaseClash),
    ("composition", [.init(name: "\u{e9}"), .init(name: "e\u{301}")], .archiveCaseClash),
    ("twice", [file, file], .archiveDuplicate),
    ("file and folder", [file, .init(name: "a/b")], .archiveDuplicate),
    ("backslash", [.init(name: "..\\x")], .archiveBadPath),
    ("control character", [.init(name: "a\nb")], .archiveBadPath),
    ("empty part", [.init(name: "a//b")], .archiveBadPath),
    ("deep", [.init(name: String(repeating: "d/", count: 20) + "x")], .archiveTooDeep),
  ]

  @Test(arguments: hostile.indices, [false, true])
  func hostileEntriesAreRefusedAndNothingIsWrittenElsewhere(index: Int, zip: Bool) throws {
    let (name, entries, code) = Self.hostile[index]
    // Entry types that zip does not support.
    if zip && ["hard link", "pipe", "device"].contains(name) { return }
    let file = folder.url.appending(path: "hostile")
    try Samples.archive(entries, to: file, zip: zip)
    let error = #expect(throws: DeliveryError.self, "\(name)") { try unpack(file) }
    // libarchive reads a backslash in a zip as a path separator, as some Windows programs write it.
    let expected = zip && name == "backslash" ? .archiveParentPath : code
    #expect(error?.code == expected, "\(name): \(String(describing: error))")
    #expect(try folder.list() == ["hostile", "inner"])
    #expect(try folder.list("inner") == ["target"])
  }

  @Test func bombsAreRefusedByRatioBytesAndFiles() throws {
    let file = folder.url.appending(path: "bomb.tar.gz")
    try Samples.archive([.init(name: "zeros", content: Data(count: 80 << 20))], to: file)
    expect(.archiveRatio) { try unpack(file) }
    var limits = ArchiveLimits()
    limits.bytes = 1 << 20
    try FileManager.default.removeItem(at: target)
    expect(.archiveTooLarge) { try unpack(file, limits: limits) }
    // No byte was written of an entry whose stated size exceeds the limit.
    #expect(try folder.list("inner/target").isEmpty)
    let many = (0..<40).map { Samples.Entry(name: "f\($0)") }
    try Samples.archive(many, to: file)
    limits.entries = 30
    expect(.archiveTooManyFiles) { try unpack(file, limits: limits) }
  }

  @Test func whatIsNoArchiveIsRefused() throws {
    let file = try folder.write(String(repeating: "no archive ", count: 1000), to: "a.tar.gz")
    expect(.archiveUnsupported) { try unpack(file) }
  }

  @Test func oneModelIsFoundAndTwoAreNot() throws {
    try folder.write("", to: "t/readme.txt")
    expect(.archiveNotOneModel) {
      try UnpackedModel.find(in: folder.url.appending(path: "t"))
    }
    try folder.write("", to: "t/deep/m.mlmodel")
    #expect(try UnpackedModel.find(in: folder.url.appending(path: "t")).lastPathComponent == "m.mlmodel")
    try folder.write("", to: "t/n.mlmodelc/coremldata.bin")
    expect(.archiveNotOneModel) {
      try UnpackedModel.find(in: folder.url.appending(path: "t"))
    }
  }

  @Test func whatFinderAddsIsLeftOut() throws {
    let file = folder.url.appending(path: "a.zip")
    let names = ["m.mlmodel", "__MACOSX/._m.mlmodel", "._m.mlmodel", ".DS_Store"]
    try Samples.archive(names.map { Samples.Entry(name: $0, content: Data("x".utf8)) }, to: file, zip: true)
    try unpack(file)
    #expect(try folder.list("inner/target") == ["m.mlmodel"])
  }
}

/// Checks that `body` fails with a code.
func expect<Result>(
  _ code: DeliveryError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
  let error = #expect(throws: DeliveryError.self, sourceLocation: sourceLocation) { _ = try body() }
  #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
}
