import CoreMLSpec
import Foundation

/// Folders in the format of Apple's compiler, written file by file.
package struct AppleFolder {
  package let path: String

  package init(path: String) { self.path = path }

  /// Makes a temporary folder and removes it when `body` returns.
  package static func make<T>(_ body: (AppleFolder) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-apple-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(AppleFolder(path: folder.appending(path: "model.mlmodelc").path))
  }

  package func put(_ bytes: [UInt8], _ name: String) throws {
    let file = URL(filePath: "\(path)/\(name)")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  package func put(_ text: String, _ name: String) throws { try put(Array(text.utf8), name) }

  // MARK: coremldata.bin

  package static func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
  package static func string(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count)) + Array(text.utf8) }

  package static func header(_ type: UInt32, _ form: String) -> [UInt8] {
    number(type) + [UInt8](repeating: 0, count: 24) + string(form) + number(UInt64(5))
      + [UInt8](repeating: 0, count: 24)
  }

  package static func description(
    _ type: UInt32, _ features: (inout WireWriter) -> Void, form: String = "generic", trailer: [UInt8] = []
  ) -> [UInt8] {
    var writer = WireWriter()
    features(&writer)
    return header(type, form) + number(UInt64(writer.bytes.count)) + writer.bytes + trailer
  }

  /// A field `number` of `ModelDescription` or of a function: a float32 array.
  package static func array(_ number: Int, _ name: String, _ shape: [Int64], to writer: inout WireWriter) {
    writer.append(number) { writer in
      writer.append(1, string: name)
      writer.append(3) { writer in
        writer.append(5) { writer in
          writer.append(1, packed: shape)
          writer.append(2, int: 65568)
        }
      }
    }
  }

  // MARK: espresso

  /// A neural network of JSON layers with one input array and one output array. `weights` is keyed by blob number.
  package func network(
    _ layers: [String], weights: [UInt64: [Float]] = [:], shapes: String = "{}", input: [Int64], output: [Int64]
  ) throws {
    try put(
      Self.description(500) { writer in
        Self.array(1, "x", input, to: &writer)
        Self.array(10, "y", output, to: &writer)
      }, "coremldata.bin")
    try espresso(layers, weights: weights, shapes: shapes)
  }

  package func espresso(_ layers: [String], weights: [UInt64: [Float]], shapes: String = "{}", more: String = "") throws
  {
    let list = layers.joined(separator: ", ")
    try put(
      #"{"storage": "model.espresso.weights", "format_version": 200, \#(more) "layers": [\#(list)]}"#,
      "model.espresso.net")
    try put(#"{"layer_shapes": \#(shapes)}"#, "model.espresso.shape")
    let sorted = weights.sorted { $0.key < $1.key }
    var bytes = Self.number(UInt64(sorted.count))
    for (id, values) in sorted { bytes += Self.number(id) + Self.number(UInt64(values.count * 4)) }
    for (_, values) in sorted { bytes += values.flatMap { Self.number($0.bitPattern) } }
    try put(bytes, "model.espresso.weights")
  }

  /// A program from `x` to `y`. The axes of `x` have any size and default to `shape`; `y` has any shape.
  package func flexible(_ program: String, _ shape: [Int]) throws {
    try put(
      Self.description(502) { writer in
        FeatureModels.Feature.flexible("x", shape.map(Int64.init), shape.map { _ in (0, -1) }).write(1, to: &writer)
        FeatureModels.Feature.flexible("y", [], []).write(10, to: &writer)
      }, "coremldata.bin")
    try put("program(1.3) { func main<ios16>\(program); }", "model.mil")
  }
}
