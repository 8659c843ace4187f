import CoreMLDelivery
import Foundation
import TestSupport
import Testing

/// Archives of a few megabytes that unpack to 10 GB. They are rejected early, in bounded memory, and without leftovers.
@Suite(.tags(.process), .serialized) struct BombTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func python(_ words: String...) async throws -> ProgramRun {
    let script = Samples.checkout.appending(path: "Tests/DeliveryTests/Store/bombs.py").path
    let run = try await ProgramRun.begin(URL(filePath: "/usr/bin/python3"), [script] + words, home: folder.url).end()
    #expect(run.status == 0, "\(run.errors)")
    return run
  }

  private func make(_ kind: ArchivePacker.Kind, _ form: String) async throws -> URL {
    let file = folder.url.appending(path: "\(form).\(kind.rawValue)")
    _ = try await python("make", kind.rawValue, form, file.path)
    let size = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int)
    #expect(size < 16 << 20)
    return file
  }

  /// Returns the size of all files below the target folder.
  private func written(in target: URL) throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: target.path).reduce(0) { sum, path in
      let attributes = try FileManager.default.attributesOfItem(atPath: target.appending(path: path).path)
      return sum + (attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int ?? 0 : 0)
    }
  }

  @Test(arguments: ArchivePacker.Kind.allCases)
  func aFileOfTenGigabytesIsRefusedBeforeAByteIsWritten(kind: ArchivePacker.Kind) async throws {
    let file = try await make(kind, "one")
    let target = folder.url.appending(path: "target")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    expect(.archiveRatio) { try ArchiveUnpacker.unpack(file, into: target) }
    #expect(try written(in: target) == 0)
    // The same through the command-line tool, in a process with little memory and a file size limit of one megabyte.
    let home = folder.url.appending(path: "home")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    let runtime = ProgramRun.folder.appending(path: "runtime").path
    let run = try await python("run", "\(1 << 20)", runtime, "models", "install", file.path, "--name", "bomb")
    #expect(run.json?["status"] as? Int == 65, "\(run.output)")
    #expect(run.json?["peak"] as? Int ?? .max < 256 << 20, "\(run.output)")
    #expect((run.json?["errors"] as? String)?.contains("times its size") == true, "\(run.output)")
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    #expect(left.filter { $0.contains("bomb") || $0.contains(".staged-") } == [])
  }

  @Test(arguments: ArchivePacker.Kind.allCases)
  func manyFilesOfTenGigabytesTogetherAreRefusedWithinTheLimit(kind: ArchivePacker.Kind) async throws {
    let file = try await make(kind, "many")
    let target = folder.url.appending(path: "target")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    var limits = ArchiveLimits()
    // gzip and zip compress zeros less, within the permitted ratio. For them the size limit applies.
    let isTight = [.tarGzip, .zip].contains(kind)
    if isTight { limits.bytes = 100 << 20 }
    expect(isTight ? .archiveTooLarge : .archiveRatio) {
      try ArchiveUnpacker.unpack(file, into: target, limits: limits)
    }
    let size = Int64(try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int))
    let bound = isTight ? limits.bytes : max(limits.freeBytes, size * limits.ratio)
    #expect(try written(in: target) <= bound)
  }

  @Test func aSizeThatIsALieIsNotBelieved() async throws {
    let file = try await make(.zip, "liar")
    let target = folder.url.appending(path: "target")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    var limits = ArchiveLimits()
    limits.bytes = 100 << 20
    let error = #expect(throws: DeliveryError.self) { try ArchiveUnpacker.unpack(file, into: target, limits: limits) }
    #expect([.archiveTooLarge, .archiveDamaged].contains { $0 == error?.code }, "\(String(describing: error))")
    #expect(try written(in: target) <= limits.bytes)
  }
}
