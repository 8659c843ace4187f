import BatchFiles
import CoreML
import CoreMLRuntime
import FeatureFiles

/// Prints rows of a block byte for byte as `ObjectLines` and `TableLines` print features.
struct BlockPrinter: BlockEncoder {
  /// How an output is printed.
  private struct Column {
    let output: BlockOutput
    /// The text before the value in an object: `, "name": `.
    let name: [UInt8]
    let form: Form
  }

  private enum Form {
    case number
    /// The printed form of each label.
    case labels([[UInt8]])
    case shares(SharesPrinter)
    case elements(start: [UInt8], count: Int, MLMultiArrayDataType)
    case feature
  }

  private let columns: [Column]
  private let keep: Int?
  /// The byte between cells; nil for objects.
  private let separator: UInt8?

  /// - Parameter separator: The byte between the cells of a table; nil for JSON objects.
  init(_ blocks: TabularBlocks, keep: Int?, separator: UInt8?) {
    (self.keep, self.separator) = (keep, separator)
    columns = blocks.outputs.sorted { $0.feature < $1.feature }.map { output in
      var name: [UInt8] = Array(", ".utf8)
      name.append(quoted: output.feature)
      name += Array(": ".utf8)
      return Column(output: output, name: name, form: Self.form(output.kind, keep, isTable: separator != nil))
    }
  }

  private static func form(_ kind: BlockOutput.Kind, _ keep: Int?, isTable: Bool) -> Form {
    switch kind {
    case .number: return .number
    case .label(let values):
      return .labels(
        values.map { value in
          if isTable, value.type == .string { return Array(value.stringValue.utf8) }
          var writer = FeatureJSONWriter()
          writer.value(value)
          return writer.bytes
        })
    case .probabilities(let keys): return .shares(SharesPrinter(keys, keep: keep))
    case .elements(let shape, let type):
      guard let name = Self.name(type) else { return .feature }
      let count = shape.reduce(1, *)
      if isTable, count == 1 { return .elements(start: [], count: 1, type) }
      let sizes = shape.map { "\($0)" }.joined(separator: ", ")
      return .elements(
        start: Array("{\"shape\": [\(sizes)], \"dataType\": \"\(name)\", \"data\": [".utf8), count: count, type)
    case .feature: return .feature
    }
  }

  private static func name(_ type: MLMultiArrayDataType) -> String? {
    switch type {
    case .double: "double"
    case .float32: "float32"
    case .int32: "int32"
    default: nil
    }
  }

  /// Adds the outputs of a row: members of an object, or cells after the first ones.
  func append(_ block: TabularBlock, slot: Int, to bytes: inout [UInt8]) throws {
    for column in columns {
      if let separator {
        bytes.append(separator)
        let start = bytes.count
        try append(column, block.output(column.output, slot), to: &bytes)
        TableCells.quote(from: start, &bytes, separator)
      } else {
        bytes.append(contentsOf: column.name)
        try append(column, block.output(column.output, slot), to: &bytes)
      }
    }
  }

  private static func elements<Element>(
    _ row: UnsafeRawPointer, _ count: Int, of _: Element.Type
  ) -> UnsafeBufferPointer<Element> {
    UnsafeBufferPointer(start: row.assumingMemoryBound(to: Element.self), count: count)
  }

  private func append(_ column: Column, _ row: UnsafeRawPointer, to bytes: inout [UInt8]) throws {
    switch column.form {
    case .number: bytes.append(number: row.load(as: Double.self), quoted: true)
    case .labels(let texts): bytes.append(contentsOf: texts[column.output.label(row)])
    case .shares(let printer): printer.append({ column.output.number(row, $0) }, to: &bytes)
    case .elements(let start, let count, let type):
      bytes.append(contentsOf: start)
      switch type {
      case .double: bytes.append(list: Self.elements(row, count, of: Double.self))
      case .float32: bytes.append(list: Self.elements(row, count, of: Float.self))
      default: bytes.append(list: Self.elements(row, count, of: Int32.self))
      }
      if !start.isEmpty { bytes.append(contentsOf: [0x5D, 0x7D]) }
    case .feature:
      let value = try column.output.value(row)
      if separator != nil { return bytes.append(contentsOf: TableCells.cell(value, keep: keep)) }
      var writer = FeatureJSONWriter()
      writer.value(value, keep: keep)
      bytes.append(contentsOf: writer.bytes)
    }
  }
}

/// A classifier's probabilities by label, in the order of `FeatureJSONWriter`: largest first, NaN last, ties by the
/// label's text.
private struct SharesPrinter {
  /// The text `"label": ` of each label.
  private let names: [[UInt8]]
  /// The rank of each label in the order of texts.
  private let ranks: [Int]
  private let keep: Int

  init(_ keys: [AnyHashable], keep: Int?) {
    let texts = keys.map { "\($0.base)" }
    names = texts.map { text in
      var name: [UInt8] = []
      name.append(quoted: text)
      return name + Array(": ".utf8)
    }
    var ranks = Array(repeating: 0, count: texts.count)
    for (rank, index) in texts.indices.sorted(by: { texts[$0] < texts[$1] }).enumerated() { ranks[index] = rank }
    self.ranks = ranks
    self.keep = min(keep ?? texts.count, texts.count)
  }

  func append(_ number: (Int) -> Double, to bytes: inout [UInt8]) {
    let numbers = names.indices.map(number)
    func isLarger(_ a: Double, _ b: Double) -> Bool { a > b || (b.isNaN && !a.isNaN) }
    let order = names.indices.sorted { a, b in
      isLarger(numbers[a], numbers[b]) || (!isLarger(numbers[b], numbers[a]) && ranks[a] < ranks[b])
    }
    bytes.append(0x7B)
    for (place, index) in order.prefix(keep).enumerated() {
      if place > 0 { bytes.append(contentsOf: [0x2C, 0x20]) }
      bytes.append(contentsOf: names[index])
      bytes.append(number: numbers[index], quoted: true)
    }
    bytes.append(0x7D)
  }
}
