import BatchFiles
import CoreML
import CoreMLRuntime

/// Rows that blocks can be filled with.
protocol BlockSource: BatchRows {
  var reader: FeatureReader { get }
  /// Features that rows have besides `common`; nil where that is not known before they are read.
  var features: [String]? { get }
  /// The row behind those that are best read together with a row.
  func endOfGroup(from row: Int) -> Int
  /// Keeps what this many threads read, so that it is not read again for the records of the run.
  func keep(groups: Int)
  /// Nil where the rows cannot fill these inputs.
  func filler(_ inputs: [BlockInput]) -> (any BlockFiller)?
}

/// Fills blocks with rows. Each thread has its own.
protocol BlockFiller {
  /// False for a row that is unusual: it is left to a single prediction, which takes it or says what is wrong.
  ///
  /// - Parameter slot: which row of the block to fill.
  /// - Throws: where the file cannot be read any more.
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
