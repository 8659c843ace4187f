import CoreMLSpec
import Foundation
import Testing

@testable import CoreMLDelivery

/// Deltas contain only changed bytes, and a wrong old tree is detected.
@Suite struct DeltaTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func tree(_ name: String, _ files: [String: [UInt8]]) throws -> [(path: String, url: URL)] {
    try files.map { ($0.key, try folder.write($0.value, to: "\(name)/\($0.key)")) }
  }

  private func shipped(_ files: [(path: String, url: URL)]) throws -> [ShippedFile] {
    try files.map {
      let digest = try FileDigest(of: $0.url)
      return ShippedFile(path: $0.path, size: digest.size, sha256: digest.sha256, encodings: [])
    }
  }

  /// Creates and applies a delta; returns its size.
  @discardableResult private func roundTrip(_ old: [String: [UInt8]], _ new: [String: [UInt8]]) throws -> Int64 {
    for name in ["old", "new", "made"] { try? FileManager.default.removeItem(at: folder.url.appending(path: name)) }
    let (base, target) = (try tree("old", old), try tree("new", new))
    let delta = folder.url.appending(path: "delta")
    try DeltaPayload.make(from: base, to: target, at: delta)
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "made"), withIntermediateDirectories: true)
    try DeltaPayload.apply(
      delta, to: folder.url.appending(path: "old"), making: shipped(target), in: folder.url.appending(path: "made"))
    for (path, bytes) in new { #expect(try folder.bytes("made/\(path)") == bytes) }
    return try FileDigest(of: delta).size
  }

  @Test func tensorsThatDidNotChangeAreNotShipped() throws {
    let body = Fixture.weights(60_000, seed: 1)
    let (head, newHead) = (Fixture.weights(2_000, seed: 2), Fixture.weights(2_000, seed: 3))
    let tail = Fixture.weights(10_000, seed: 4)
    // Unchanged bytes are found at other offsets and in other files, too.
    let size = try roundTrip(
      ["weights/weight.bin": body + head + tail, "model.mlmodel": Array("model".utf8)],
      ["weights/weight.bin": Array("odd".utf8) + body + newHead + tail, "model.mlmodel": Array("model".utf8)])
    #expect(size < 8_000 + 2_000)
    #expect(try roundTrip(["a": body, "b": tail], ["c": tail + body]) < 1_000)
  }

  @Test func allKindsOfTreesComeBack() throws {
    let weights = Fixture.weights(5_000, seed: 5)
    try roundTrip([:], ["a": weights])
    try roundTrip(["a": weights], ["a": []])
    try roundTrip(["a": []], ["a": [1], "b/c/d": [2, 3]])
    try roundTrip(["a": weights], ["a": weights, "b": weights])
    try roundTrip(["a": weights], ["a": Array(weights.reversed())])
    try roundTrip(["a": [UInt8](repeating: 0, count: 10_000)], ["a": [UInt8](repeating: 0, count: 30_001)])
    for cut in [1, 1023, 1024, 1025, 2047, 2049] {
      try roundTrip(["a": weights], ["a": Array(weights.prefix(cut))])
      try roundTrip(["a": weights], ["a": Array(weights.suffix(cut))])
      try roundTrip(["a": Array(weights.prefix(cut))], ["a": weights])
    }
  }

  @Test func randomEditsComeBack() throws {
    var generator = SystemRandomNumberGenerator()
    let old = Fixture.weights(10_000, seed: 6)
    for _ in 0..<40 {
      var new = old
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let at = Int.random(in: 0...new.count, using: &generator)
        let length = Int.random(in: 0...5_000, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: new.removeSubrange(at..<min(at + length, new.count))
        case 1: new.insert(contentsOf: Fixture.weights(length / 4, seed: UInt64(at)), at: at)
        default: for index in at..<min(at + length, new.count) { new[index] ^= 0x55 }
        }
      }
      try roundTrip(["a": old], ["a": new])
    }
  }

  @Test func theSameTreesGiveTheSameDelta() throws {
    let (old, new) = (Fixture.weights(5_000, seed: 7), Fixture.weights(5_000, seed: 8))
    let base = try tree("old", ["a": old, "b": new])
    let target = try tree("new", ["a": new, "c": old + new])
    let urls = ["1", "2"].map { folder.url.appending(path: $0) }
    try DeltaPayload.make(from: base, to: target, at: urls[0])
    try DeltaPayload.make(from: base.reversed(), to: target.reversed(), at: urls[1])
    #expect(try Data(contentsOf: urls[0]) == Data(contentsOf: urls[1]))
  }

  @Test func anotherBaseIsFoundOut() throws {
    let weights = Fixture.weights(5_000, seed: 9)
    let base = try tree("old", ["a": weights])
    let target = try tree("new", ["a": weights + [1]])
    let delta = folder.url.appending(path: "delta")
    try DeltaPayload.make(from: base, to: target, at: delta)
    func refusal() throws -> DeliveryError.Code? {
      let made = folder.url.appending(path: "made-\(UUID())")
      try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
      let code = Fixture.code {
        try DeltaPayload.apply(delta, to: folder.url.appending(path: "old"), making: shipped(target), in: made)
      }
      if code != nil { #expect(try FileManager.default.contentsOfDirectory(atPath: made.path).isEmpty) }
      return code
    }
    #expect(try refusal() == nil)
    var other = weights
    other[3_000] ^= 1
    try folder.write(other, to: "old/a")
    #expect(try refusal() == .deltaBase)
    try folder.write(weights.dropLast(9), to: "old/a")
    #expect(try refusal() == .deltaBase)
    try FileManager.default.removeItem(at: folder.url.appending(path: "old/a"))
    #expect(try refusal() == .deltaBase)
  }

  @Test func hostileDeltasAreRefused() throws {
    let base = try folder.write(Fixture.weights(1_000, seed: 1), to: "old/a")
    let made = folder.url.appending(path: "made")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    let file = ShippedFile(path: "f", size: 10, sha256: String(repeating: "0", count: 64), encodings: [])
    func refusal(_ table: String, literals: [UInt8] = [1, 2, 3], size: UInt32? = nil) throws -> DeliveryError.Code? {
      var bytes = DeltaPayload.magic
      withUnsafeBytes(of: (size ?? UInt32(table.utf8.count)).littleEndian) { bytes += $0 }
      let delta = try folder.write(bytes + Array(table.utf8) + literals, to: "delta")
      return Fixture.code {
        try DeltaPayload.apply(delta, to: base.deletingLastPathComponent(), making: [file], in: made)
      }
    }
    for pieces in [
      "[0,0,11]", "[0,0,10]", "[0,0]", "[-1,0,10]", "[2,0,10]", "[1,-1,10]", "[1,0,-10]", "[1,0,9223372036854775807]",
      "[0,0,3,0,0,3,0,0,3]",
    ] {
      let code = try refusal(#"{"bases":["a"],"files":[{"path":"f","pieces":\#(pieces)}]}"#)
      #expect(code == .malformedPayload, "\(pieces)")
    }
    for pieces in ["[1,3999,10]", "[1,9223372036854775807,10]", "[1,0,10]", "[1,0,9]"] {
      let code = try refusal(#"{"bases":["a"],"files":[{"path":"f","pieces":\#(pieces)}]}"#)
      #expect(code == .deltaBase, "\(pieces)")
    }
    for table in [
      #"{"bases":["../a"],"files":[{"path":"f","pieces":[]}]}"#, #"{"bases":["a"],"files":[{"path":"g","pieces":[]}]}"#,
      #"{"bases":["a"],"files":[]}"#, "{}", "",
      #"{"bases":["a"],"files":[{"path":"f","pieces":[]},{"path":"f","pieces":[]}]}"#,
    ] { #expect(try refusal(table) == .malformedPayload, "\(table)") }
    #expect(try refusal("{}", size: .max) == .malformedPayload)
    #expect(try refusal("{}", size: 1000) == .malformedPayload)
    #expect(try FileManager.default.contentsOfDirectory(atPath: made.path).isEmpty)
  }
}
