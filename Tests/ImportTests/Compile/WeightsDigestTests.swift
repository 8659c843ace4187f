import CoreMLBase
import CoreMLSpec
import Foundation
import TestModels
import TestSupport
import Testing

@testable import CoreMLImport

/// A compiled model identifies its weights by a digest. Caches elsewhere are bound to the weight file.
@Suite struct WeightsDigestTests {
  private func compiled(_ body: (URL) throws -> Void) throws {
    let scales = (0..<1000).map { Double($0) / 7 }
    let model = FeatureModels.model(604, [.array("x", [1000])], [.array("y", [1000])]) {
      $0.append(2, packed: scales)
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "digest-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "scaler.mlmodel")
    try Data(model).write(to: source)
    try body(try ModelCompiler.compile(source, into: folder))
  }

  private func metadata(_ model: URL) throws -> [String: Any] {
    let data = try Data(contentsOf: model.appending(path: "metadata.json"))
    return try #require((JSONSerialization.jsonObject(with: data) as? [[String: Any]])?.first)
  }

  private func set(_ changes: [String: Any?], in model: URL) throws {
    var fields = try metadata(model)
    for (key, value) in changes { fields[key] = value }
    try JSONSerialization.data(withJSONObject: [fields]).write(to: model.appending(path: "metadata.json"))
  }

  @Test(.tags(.process)) func aBundleCarriesTheDigestOfItsWeights() throws {
    try compiled { model in
      let path = model.appending(path: "weights/weight.bin").path
      let tool = Process()
      tool.executableURL = URL(filePath: "/usr/bin/sha256sum")
      tool.arguments = [path]
      let pipe = Pipe()
      tool.standardOutput = pipe
      try tool.run()
      let words = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(separator: " ")
      tool.waitUntilExit()
      #expect(try metadata(model)["weightsDigest"] as? String == words.first.map(String.init))
      let first = try #require(try CompiledBundle.read(model.path).weightFile)
      #expect(first.isTemporary, "nothing is kept of what stands in a temporary folder")
      #expect(try CompiledBundle.read(model.path).weightFile == first)
      // Other weights with a digest that was not updated count as another file.
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.count - 100] ^= 1
      let other = path + ".new"
      try bytes.write(to: URL(filePath: other))
      #expect(rename(other, path) == 0)
      #expect(try CompiledBundle.read(model.path).weightFile != first)
      let stated = try metadata(model)["weightsDigest"] as? String
      try WeightsDigest.renew(in: model.path)
      #expect(try metadata(model)["weightsDigest"] as? String != stated)
      _ = try CompiledModelLoader.load(model.path)
    }
  }

  @Test func modelsWithoutADigestLoadAndAreKeptNowhere() throws {
    try compiled { model in
      try set(["weightsDigest": nil], in: model)
      #expect(try CompiledBundle.read(model.path).weightFile == nil)
      try WeightsDigest.renew(in: model.path)
      #expect(try metadata(model)["weightsDigest"] == nil)
    }
  }

  /// The runtime does not cache personalized weights or weights that exist only in memory.
  @Test func trainedAndHiddenWeightsAreKeptNowhere() throws {
    try compiled { model in
      var files: [String: Bytes] = [:]
      for name in ["model.mil", "weights/weight.bin", "coremldata.bin", "metadata.json"] {
        files[name] = Bytes([UInt8](try Data(contentsOf: model.appending(path: name))))
      }
      #expect(try CompiledBundle.read(files, named: "memory").weightFile == nil)
      try set(["isUpdatable": true], in: model)
      #expect(try CompiledBundle.read(model.path).weightFile == nil)
    }
  }

  /// Releasing a mapping drops the pages of a mapped file, and a later access reads them back. Memory without a file is
  /// not dropped.
  @Test func releasedPagesComeBack() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let content = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try Data(content).write(to: URL(filePath: path))
    let bytes = try Bytes.mapping(file: path)
    #expect(bytes.array == content)
    let before = try resident(bytes)
    try bytes.slice(10..<content.count - 10).withUnsafeBytes { Bytes.release($0, of: bytes.owner) }
    #expect(try before >= 1 << 20 && resident(bytes) < 1 << 18)
    #expect(bytes.array == content)
    let heap = Bytes(content)
    heap.withUnsafeBytes { Bytes.release($0, of: heap.owner) }
    #expect(heap.array == content)
  }

  /// The resident bytes of a mapping.
  private func resident(_ bytes: Bytes) throws -> Int {
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps"))
    let maps = String(decoding: try #require(try file.readToEnd()), as: UTF8.self).split(separator: "\n")
    let start = UInt(bitPattern: bytes.pointer)
    let first = try #require(
      maps.firstIndex { line in
        let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] <= start && start < ends[1]
      })
    let line = try #require(maps[first...].first { $0.hasPrefix("Rss:") })
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first) * 1024
  }
}
