import CoreMLSpec
import Foundation
import Testing

@testable import CoreMLDelivery

/// Files are restored exactly, or not at all.
@Suite struct PayloadTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Encodes and decodes a file; returns the size of the object.
  @discardableResult private func roundTrip(_ file: URL, _ kind: PayloadEncoding) throws -> Int64 {
    let object = folder.url.appending(path: "object")
    let out = folder.url.appending(path: "out")
    let (size, sha) = try PayloadCodec.encode(file, as: kind, to: object)
    let digest = try FileDigest(of: file)
    let shipped = ShippedFile(path: "f", size: digest.size, sha256: digest.sha256, encodings: [])
    try PayloadCodec.decode(object, .init(kind: kind, object: sha, size: size), of: shipped, to: out)
    #expect(try Data(contentsOf: out) == Data(contentsOf: file))
    return size
  }

  @Test(arguments: PayloadEncoding.allCases) func everyFormIsExact(_ kind: PayloadEncoding) throws {
    let weights = Fixture.weights(40_000, seed: 7)
    for bytes in [
      [1], Array("abc".utf8), weights, Array(weights.dropFirst(3)), Array(weights.dropLast(1)),
      [UInt8](repeating: 0, count: 5_000_001),
    ] {
      try roundTrip(folder.write(bytes, to: "f"), kind)
    }
  }

  @Test func anEmptyFileIsShippedAsItIs() throws {
    let file = try folder.write([], to: "f")
    try roundTrip(file, .raw)
    #expect(try PayloadCodec.bestEncoding(of: file) == .raw)
    for kind in PayloadEncoding.allCases where kind != .raw {
      #expect(Fixture.code { try roundTrip(file, kind) } == .cannotPublish)
    }
  }

  @Test func aPackedFileComesBackPacked() throws {
    // Input that is already compressed must not be decompressed twice.
    let inner = folder.url.appending(path: "inner")
    try PayloadCodec.encode(folder.write(Array("text text text text".utf8), to: "t"), as: .zstd, to: inner)
    for kind in PayloadEncoding.allCases { try roundTrip(inner, kind) }
  }

  @Test func floatsAreShippedSmaller() throws {
    let weights = Fixture.weights(250_000, seed: 1)
    // In a weight file, and at any offset of a file without type information.
    let blob = folder.url.appending(path: "weight.bin")
    let writer = try BlobWriter(path: blob.path)
    for part in 0..<4 {
      let slice = Array(weights[part * 250_000..<(part + 1) * 250_000])
      _ = try slice.withUnsafeBytes { try writer.append(.float32, $0) }
    }
    _ = try Array(weights[0..<1000]).withUnsafeBytes { try writer.append(.int8, $0) }
    try writer.finish()
    let loose = try folder.write(Array("a head of some bytes..".utf8) + weights, to: "loose")
    for file in [blob, loose] {
      #expect(try PayloadCodec.bestEncoding(of: file) == .planesZstd)
      let size = try roundTrip(file, .planesZstd)
      let whole = try FileDigest(of: file).size
      #expect(Double(size) < 0.86 * Double(whole), "\(size) of \(whole)")
      #expect(try Double(roundTrip(file, .bzip2)) > 0.9 * Double(whole))
    }
  }

  @Test func halfPrecisionIsShippedSmallerToo() throws {
    let weights = Fixture.weights(100_000, seed: 2)
    var halves: [UInt8] = []
    for index in stride(from: 0, to: weights.count, by: 4) {
      let bits = weights[index..<index + 4].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      let bfloat = UInt16(bits >> 16)
      halves += [UInt8(bfloat & 255), UInt8(bfloat >> 8)]
    }
    let file = try folder.write([1] + halves, to: "halves")
    #expect(try Double(roundTrip(file, .planesZstd)) < 0.75 * Double(halves.count))
  }

  @Test func formsAreChosenBySize() throws {
    let text = try folder.write(Array(String(repeating: "program(1.0) { func main }\n", count: 4000).utf8), to: "text")
    let kind = try PayloadCodec.bestEncoding(of: text)
    #expect([.zstd, .xz, .bzip2].contains(kind))
    #expect(try PayloadCodec.bestEncoding(of: folder.write([1, 2, 3], to: "tiny")) == .raw)
    var noise = SystemRandomNumberGenerator()
    let random = (0..<100_000).map { _ in UInt8.random(in: .min ... .max, using: &noise) }
    #expect(try PayloadCodec.bestEncoding(of: folder.write(random, to: "noise")) == .raw)
  }

  @Test func theSameBytesGiveTheSameObject() throws {
    let file = try folder.write(Fixture.weights(40_000, seed: 3), to: "f")
    for kind in PayloadEncoding.allCases {
      let first = try PayloadCodec.encode(file, as: kind, to: folder.url.appending(path: "1"))
      let second = try PayloadCodec.encode(file, as: kind, to: folder.url.appending(path: "2"))
      #expect(first == second)
    }
  }

  // MARK: hostile payloads

  private func refusal(_ bytes: [UInt8], _ kind: PayloadEncoding, size: Int64, sha256: String? = nil) throws
    -> DeliveryError.Code?
  {
    let object = try folder.write(bytes, to: "in/hostile")
    let digest = try FileDigest(of: object)
    let shipped = ShippedFile(
      path: "f", size: size, sha256: sha256 ?? String(repeating: "0", count: 64), encodings: [])
    let staging = folder.url.appending(path: "staging")
    try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
    let code = Fixture.code {
      try PayloadCodec.decode(
        object, .init(kind: kind, object: digest.sha256, size: digest.size), of: shipped,
        to: staging.appending(path: "f"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: staging.path).isEmpty)
    return code
  }

  @Test(arguments: PayloadEncoding.allCases.filter { $0 != .raw }) func bombsStopAtTheStatedSize(
    _ kind: PayloadEncoding
  ) throws {
    let zeros = try folder.write([UInt8](repeating: 0, count: 30_000_000), to: "zeros")
    let object = folder.url.appending(path: "bomb")
    let (size, _) = try PayloadCodec.encode(zeros, as: kind, to: object)
    #expect(size < 100_000)
    #expect(try refusal([UInt8](Data(contentsOf: object)), kind, size: 1000) == .oversizedPayload)
  }

  @Test func damagedPayloadsAreRefused() throws {
    let file = try folder.write(Fixture.weights(2_000, seed: 4), to: "f")
    let object = folder.url.appending(path: "object")
    for kind in PayloadEncoding.allCases {
      try PayloadCodec.encode(file, as: kind, to: object)
      let bytes = [UInt8](try Data(contentsOf: object))
      for cut in [0, 1, 7, bytes.count / 2, bytes.count - 1] {
        let code = try refusal(Array(bytes[..<cut]), kind, size: 8000)
        #expect(code == .malformedPayload || code == .digestMismatch, "\(kind) cut to \(cut): \(code?.rawValue ?? "-")")
      }
      for index in stride(from: 0, to: bytes.count, by: max(bytes.count / 40, 1)) {
        var damaged = bytes
        damaged[index] ^= 0x10
        let code = try refusal(damaged, kind, size: 8000)
        #expect([.malformedPayload, .digestMismatch, .oversizedPayload].contains(code), "\(kind) at \(index)")
      }
    }
  }

  @Test func impossibleBlocksAreRefused() throws {
    for head: [UInt8] in [
      [3, 0, 0, 0, 4, 0, 0, 0], [4, 2, 0, 0, 4, 0, 0, 0], [4, 0, 1, 0, 4, 0, 0, 0], [4, 1, 0, 0, 0, 0, 0, 0],
      [4, 1, 0, 0, 255, 255, 255, 255], [4, 1, 0, 0], [4, 1, 0, 0, 8, 0, 0, 0],
    ] {
      let inner = try folder.write(head + [1, 2, 3, 4], to: "inner")
      let object = folder.url.appending(path: "object")
      try PayloadCodec.encode(inner, as: .zstd, to: object)
      #expect(try refusal([UInt8](Data(contentsOf: object)), .planesZstd, size: 100) == .malformedPayload)
    }
  }

  @Test func anotherObjectIsRefusedBeforeItIsUnpacked() throws {
    let object = try folder.write([1, 2, 3], to: "object")
    let other = ShippedFile.Encoding(kind: .xz, object: String(repeating: "b", count: 64), size: 3)
    #expect(Fixture.code { try PayloadCodec.check(object, other) } == .digestMismatch)
    let longer = ShippedFile.Encoding(kind: .xz, object: other.object, size: 4)
    #expect(Fixture.code { try PayloadCodec.check(object, longer) } == .digestMismatch)
  }
}
