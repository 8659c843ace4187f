import BatchFiles
import CoreML
import CoreMLRuntime

/// Rows that can fill blocks.
protocol BlockSource: BatchRows {
  var reader: FeatureReader { get }
  /// Features that rows have besides `common`; nil if they are unknown before reading.
  var features: [String]? { get }
  /// The end of the group that is best read together with a row (exclusive).
  func endOfGroup(from row: Int) -> Int
  /// Caches this many groups, so that the run record does not read them again.
  func keep(groups: Int)
  /// Nil if the rows cannot fill these inputs.
  func filler(_ inputs: [BlockInput]) -> (any BlockFiller)?
}

/// Fills blocks with rows. Each thread has its own filler.
protocol BlockFiller {
  /// Returns false for an unusual row, which a single prediction accepts or rejects with an error.
  ///
  /// - Parameter slot: The row of the block to fill.
  /// - Throws: If the file is no longer readable.
  mutating func fill(_ block: TabularBlock, slot: Int, row: Int) throws -> Bool
}

extension TableRows: BlockSource {
  var features: [String]? { names.compactMap { $0 } }
  // The first record has the titles.
  func endOfGroup(from row: Int) -> Int { text.endOfStretch(row + 1) - 1 }
  func keep(groups: Int) { text.keptStretches = groups }
  func filler(_ inputs: [BlockInput]) -> (any BlockFiller)? {
    TextFiller(text, firstRecord: 1, TableFiller(names, inputs, separator))
  }
}

extension LineRows: BlockSource {
  var features: [String]? { nil }
  func endOfGroup(from row: Int) -> Int { text.endOfStretch(row) }
  func keep(groups: Int) { text.keptStretches = groups }
  func filler(_ inputs: [BlockInput]) -> (any BlockFiller)? { TextFiller(text, firstRecord: 0, LineFiller(inputs)) }
}

/// Reads the records of a text, stretch by stretch.
private struct TextFiller<Filler: RecordFiller>: BlockFiller {
  private let text: RecordText
  private let firstRecord: Int
  private var filler: Filler
  private var stretch: RecordText.Stretch?

  init(_ text: RecordText, firstRecord: Int, _ filler: Filler) {
    (self.text, self.firstRecord, self.filler) = (text, firstRecord, filler)
  }

  mutating func fill(_ block: TabularBlock, slot: Int, row: Int) throws -> Bool {
    let record = row + firstRecord
    if stretch?.contains(record) != true { stretch = try text.stretch(record) }
    guard let stretch else { return false }
    return stretch.bytes.withUnsafeBytes {
      filler.fill(UnsafeRawBufferPointer(rebasing: $0[stretch.record(record)]), block, slot: slot)
    }
  }
}
