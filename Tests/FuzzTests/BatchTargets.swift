import CoreMLSpec
import Foundation

@testable import BatchFiles
@testable import CoreMLRuntime
@testable import FeatureFiles

/// Files with many rows. A block accepts a record only with the values that a single prediction makes of it.
extension FuzzTarget {
  /// Cells separated by commas, or by tabs if the first byte is a tab.
  static let table = FuzzTarget("table", longest: 4096) { input in
    let separator: UInt8 = input.first == 0x09 ? 0x09 : 0x2C
    let names = ["a", "b", "color"]
    var filler = TableFiller(names, try BatchModel.mixed.inputs, separator)
    var plain = TableFiller(Array(names.dropLast()), try BatchModel.plane.inputs, separator)
    try records(input, .table(separator: separator)) { record in
      let cells = try TableCells.texts(record, separator) { Finding("a text that was UTF-8 is not") }
      try areQuoted(cells, separator)
      func features(_ names: [String], _ descriptions: [String: MLFeatureDescription]) throws -> [(
        String, MLFeatureValue
      )] {
        guard cells.count == names.count else { throw Finding("a block takes \(cells.count) cells") }
        return try zip(names, cells).map { name, cell in
          guard let feature = descriptions[name] else { throw Finding("no feature '\(name)'") }
          if feature.type == .string { return (name, MLFeatureValue(string: cell)) }
          var cell = cell
          let json = try cell.withUTF8 { try JSONValue(UnsafeRawBufferPointer($0), isWord: true) }
          return (name, try FeatureJSON.feature(json, feature, images: .files(relativeTo: "/nowhere")))
        }
      }
      try BatchModel.mixed.compare(filler: { filler.fill(record, $0, slot: 0) }) { try features(names, $0) }
      try BatchModel.plane.compare(filler: { plain.fill(record, $0, slot: 0) }) {
        try features(Array(names.dropLast()), $0)
      }
    }
  }

  /// One object per line: numbers and a string, or a list of three numbers.
  static let lines = FuzzTarget("lines", longest: 4096) { input in
    let models = [try BatchModel.mixed, try BatchModel.classes]
    var fillers = models.map { LineFiller($0.inputs) }
    try records(input, .lines) { record in
      for (index, model) in models.enumerated() {
        try model.compare(filler: { fillers[index].fill(record, $0, slot: 0) }) { descriptions in
          guard case .object(let members) = try JSONValue(record) else { throw Finding("a block takes no object") }
          return try members.map { name, value in
            guard let feature = descriptions[name] else { throw Finding("a block takes the member '\(name)'") }
            return (name, try FeatureJSON.feature(value, feature, images: .files(relativeTo: "/nowhere")))
          }
        }
      }
    }
  }

  /// Reads the records of a text, as a whole and in several parts.
  private static func records(
    _ input: UnsafeRawBufferPointer, _ form: RecordScanner.Form, _ each: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let text = try RecordText(DataSource(Data(input)), "rows", form)
    let start = input.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var scanner = RecordScanner(form, at: start)
    var found: [RecordScanner.Record] = []
    let size = 1 + Int(input.first ?? 0) % 7
    for first in stride(from: start, to: input.count, by: size) {
      scanner.scan(UnsafeRawBufferPointer(rebasing: input[first..<min(first + size, input.count)])) { found.append($0) }
    }
    guard scanner.end({ found.append($0) }) == nil else { throw Finding("a cell does not end, in pieces only") }
    guard found.count == text.count else { throw Finding("\(text.count) records, \(found.count) in pieces") }
    for (number, record) in found.enumerated() {
      let stretch = try text.stretch(number)
      guard stretch.line(number) == record.line,
        stretch.bytes[stretch.record(number)].elementsEqual(input[record.range])
      else { throw Finding("record \(number) is another one in pieces") }
      try each(UnsafeRawBufferPointer(rebasing: input[record.range]))
    }
  }

  /// Written cells read back as the same cells.
  private static func areQuoted(_ cells: [String], _ separator: UInt8) throws {
    var line: [UInt8] = []
    for (number, cell) in cells.enumerated() {
      if number > 0 { line.append(separator) }
      let start = line.count
      line += Array(cell.utf8)
      TableCells.quote(from: start, &line, separator)
    }
    let again = try line.withUnsafeBytes {
      try TableCells.texts($0, separator) { Finding("written text is not UTF-8") }
    }
    guard again == cells else { throw Finding("cells are written as others") }
  }
}

/// A small model, and memory for one row in either representation.
private struct BatchModel: @unchecked Sendable {  // the lock guards the blocks
  private let model: MLModel
  private let blocks: TabularBlocks
  private let (taken, expected): (TabularBlock, TabularBlock)
  private let lock = NSLock()
  var inputs: [BlockInput] { blocks.inputs }

  private static let made = Result {
    (try BatchModel("rows/mixed"), try BatchModel("rows/classes"), try BatchModel("interface/plane"))
  }
  static var mixed: BatchModel { get throws { try made.get().0 } }
  static var classes: BatchModel { get throws { try made.get().1 } }
  static var plane: BatchModel { get throws { try made.get().2 } }

  private init(_ name: String) throws {
    let cases = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
      path: "Cases")
    let compiled = try MLModel.compileModel(at: cases.appending(path: "\(name).mlmodel"))
    defer { try? FileManager.default.removeItem(at: compiled) }
    model = try MLModel(contentsOf: compiled)
    guard let blocks = TabularBlocks(model), let taken = blocks.begin(rows: 1), let expected = blocks.begin(rows: 1)
    else {
      throw Finding("\(name) has no blocks")
    }
    (self.blocks, self.taken, self.expected) = (blocks, taken, expected)
  }

  /// If a block accepts a row, its memory must equal the row's features.
  func compare(
    filler: (TabularBlock) -> Bool,
    features: ([String: MLFeatureDescription]) throws -> [(String, MLFeatureValue)]
  ) throws {
    lock.lock()
    defer { lock.unlock() }
    guard filler(taken) else { return }
    let values = try features(model.modelDescription.inputDescriptionsByName)
    let provider = try MLDictionaryFeatureProvider(
      dictionary: Dictionary(values) { _, _ in throw Finding("a feature stands twice") })
    for (number, input) in inputs.enumerated() {
      guard blocks.store(number, of: provider, expected, rows: 1) else {
        throw Finding("a block takes '\(input.feature)', which a single prediction does not")
      }
      let bytes = [taken, expected].map { UnsafeRawBufferPointer(start: $0.input(number, 0), count: input.byteCount) }
      guard bytes[0].elementsEqual(bytes[1]) else {
        throw Finding("a block has other numbers of '\(input.feature)' than a single prediction")
      }
    }
  }
}
