import CoreMLBase
import Foundation
import TestSupport
import Testing

@testable import CoreMLKernels

/// Compiled programs on disk.
@MainActor @Suite struct OpenCLProgramCacheTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("programs-\(UUID().uuidString)")

  @Test func digestsAreSHA256() {
    #expect(SHA256Digest.hexadecimal(of: []) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      SHA256Digest.hexadecimal(of: Array("abc".utf8))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let long = [UInt8](repeating: 0x61, count: 1000)
    #expect(SHA256Digest.hexadecimal(of: long) == "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3")
    // Lengths around the end of a block use different paths of the padding code.
    let digests = Set((50...70).map { SHA256Digest.hexadecimal(of: [UInt8](repeating: 0, count: $0)) })
    #expect(digests.count == 21)
  }

  @Test func whatIsSavedIsLoaded() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let cache = FileCache(directory: directory.path)
    let name = FileCache.fileName(["source", "options"], suffix: "clprogram")
    #expect(name != FileCache.fileName(["sourceo", "ptions"], suffix: "clprogram"))
    #expect(cache.load(name) == nil)
    cache.save([1, 2, 3], name)
    #expect(cache.load(name) == [1, 2, 3])
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [name])
  }

  @Test func aDamagedFileIsIgnored() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let cache = FileCache(directory: directory.path)
    let name = FileCache.fileName(["x"], suffix: "clprogram")
    let file = directory.appendingPathComponent(name)
    let payload = (0..<100).map { UInt8($0) }
    cache.save(payload, name)
    let sound = try Data(contentsOf: file)
    for index in [0, 8, 20, 85, sound.count - 1] {
      var damaged = sound
      damaged[index] ^= 1
      try damaged.write(to: file)
      #expect(cache.load(name) == nil, "byte \(index)")
    }
    for count in [0, 7, 16, 80, sound.count - 1] {
      try sound.prefix(count).write(to: file)
      #expect(cache.load(name) == nil, "\(count) bytes")
    }
    cache.save(payload, name)
    #expect(cache.load(name) == payload)
  }

  @Test func whatOthersCouldHaveWrittenIsIgnored() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let name = FileCache.fileName(["x"], suffix: "clprogram")
    let file = directory.appendingPathComponent(name)
    func load() -> [UInt8]? { FileCache(directory: directory.path).load(name) }
    FileCache(directory: directory.path).save([1, 2, 3], name)
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(load() == [1, 2, 3])
    chmod(file.path, 0o666)
    #expect(load() == nil)
    chmod(file.path, 0o600)
    #expect(load() != nil)
    let second = directory.appendingPathComponent("second")
    #expect(link(file.path, second.path) == 0)
    #expect(load() == nil, "a hard link")
    #expect(unlink(file.path) == 0 && symlink(second.path, file.path) == 0)
    #expect(load() == nil, "a link")
    #expect(unlink(file.path) == 0 && rename(second.path, file.path) == 0)
    #expect(load() != nil)
    chmod(directory.path, 0o777)
    #expect(load() == nil, "a folder of everybody's")
    FileCache(directory: directory.path).save([4], "other")
    #expect(!FileManager.default.fileExists(atPath: directory.appendingPathComponent("other").path))
    chmod(directory.path, 0o700)
    if geteuid() == 0 {
      chown(file.path, 4711, 4711)
      #expect(load() == nil, "another user's")
    }
  }

  @Test func aDirectoryThatCannotBeMadeTurnsTheCacheOff() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try Data().write(to: directory)
    let cache = FileCache(directory: directory.appendingPathComponent("inside-a-file").path)
    #expect(cache.isEnabled)
    cache.save([1], "x")
    #expect(!cache.isEnabled)
    #expect(cache.load("x") == nil)
    #expect(!FileCache(directory: nil).isEnabled)
  }

  @Test(.tags(.driver), .unlessQuick, .needsOpenCL) func aProgramThatRanIsLoadedByTheNextContext() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let device = try #require(OpenCLHarness.device)
    func squares() throws -> (isFromCache: Bool, values: [Float]) {
      let context = try OpenCLContext(device, cacheDirectory: directory.path)
      let kernel = try context.kernel("unary", of: .embedded("unary"), ["FUNCTION": "op_square"])
      let queue = try context.makeQueue()
      let memory = try context.makeBuffer(copying: [Float](arrayLiteral: 1, 2, 3)).memory
      try kernel.launch(
        [.floats("x", 3), .floats("y", 3), .int(3), .float(0), .float(0)], global: [3], local: [1]
      ).enqueue(on: queue, memory, memory)
      try queue.finish()
      return (kernel.isFromCache, try OpenCLHarness.download(memory, as: 0, on: queue))
    }
    func files() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [] }

    _ = try OpenCLContext(device, cacheDirectory: directory.path).kernel("unary", of: .embedded("unary"))
    #expect(files().isEmpty, "a program that did not run is not saved")
    #expect(try squares() == (false, [1, 4, 9]))
    #expect(files().count == 1)
    #expect(try squares() == (true, [1, 4, 9]))

    let file = directory.appendingPathComponent(try #require(files().first))
    var damaged = try Data(contentsOf: file)
    damaged[damaged.count / 2] ^= 0xFF
    try damaged.write(to: file)
    #expect(try squares() == (false, [1, 4, 9]), "a damaged file is compiled anew")
    #expect(try squares() == (true, [1, 4, 9]), "and written again")

    // A valid file without a program for this device: the driver refuses it, and the source is compiled.
    let name = file.lastPathComponent
    FileCache(directory: directory.path).save([1, 2, 3, 4], name)
    #expect(try squares() == (false, [1, 4, 9]))
  }
}
