import CoreML
import CoreMLRuntime
import FeatureFiles
import Foundation

/// Predicts the rows of a table or of lines in blocks: cells go straight to where kernels read them, and lines are made of what kernels wrote.
///
/// A row that is unusual in any way is predicted by itself, in its place among the others.
struct BlockBatch {
  private let source: any BlockSource
  private let sink: BatchSink
  private let lines: any ResultLines
  private let blocks: RowBlocks
  private let statistics: Statistics
  /// Inputs that have one value in all rows.
  private let constants: [Int]
  private let common: any MLFeatureProvider

  /// Nil where rows, results or the model do not go in blocks.
  init?(
    _ rows: any BatchRows, _ sink: BatchSink, _ model: MLModel, _ statistics: Statistics,
    common: [String: MLFeatureValue]
  ) {
    guard let source = rows as? any BlockSource, !source.reader.takesImages, let lines = sink.lines,
      let blocks = RowBlocks(model), let provider = try? MLDictionaryFeatureProvider(dictionary: common)
    else { return nil }
    let read = Set(blocks.inputs.map(\.feature))
    // What no kernel reads is checked by single predictions alone.
    let needed = model.modelDescription.inputDescriptionsByName.values.filter { !$0.mayBeLeftOut }.map(\.name)
    guard read.isSuperset(of: needed), read.isSuperset(of: common.keys) else { return nil }
    if let features = source.features {
      guard read == Set(features).union(common.keys) else { return nil }
      constants = blocks.inputs.indices.filter { !features.contains(blocks.inputs[$0].feature) }
    } else {
      // Lines may have members of their own for each feature.
      guard common.isEmpty else { return nil }
      constants = []
    }
    (self.source, self.sink, self.lines, self.blocks) = (source, sink, lines, blocks)
    (self.statistics, self.common) = (statistics, provider)
  }

  /// Predicts rows from a place on.
  ///
  /// - Parameters:
  ///   - single: predicts the row at a place by itself.
  ///   - done: is told of the rows that were written.
  func run(
    from first: Int, single: (Int) throws -> Void, done: (Range<Int>) -> Void
  ) throws {
    let places = sink.batch.places
    let printer = lines.printer(blocks)
    var filler = source.filler(blocks.inputs)
    var line: [UInt8] = []
    var place = first
    while place < places.count {
      try Interruption.shared.check()
      guard let block = blocks.begin(rows: places.count - place) else {
        try single(place)
        place += 1
        continue
      }
      defer { blocks.end(block) }
      let watch = Stopwatch()
      let group = place..<min(place + block.size, places.count)
      let (slots, filled) = try fill(block, group.map { places[$0] }, &filler)
      let isSound =
        filled > 0 && constants.allSatisfy { blocks.store($0, of: common, block, rows: filled) }
        && block.run(rows: filled)
      if isSound { statistics.add(rows: filled, seconds: watch.seconds) }
      var written = group.lowerBound
      for (place, slot) in zip(group, slots) {
        line.removeAll(keepingCapacity: true)
        if let slot, isSound, (try? lines.append(block, slot: slot, printer, at: place, to: &line)) != nil {
          try sink.write(at: place) { $0.append(contentsOf: line) }
        } else {
          if written < place { done(written..<place) }
          try single(place)
          written = place + 1
        }
      }
      if written < group.upperBound { done(written..<group.upperBound) }
      place = group.upperBound
    }
  }

  /// Fills the first rows of a block. Gives each row's place in it, and how many have one.
  private func fill(
    _ block: RowBlock, _ rows: [Int], _ filler: inout any BlockFiller
  ) throws -> (slots: [Int?], filled: Int) {
    var (slots, filled) = ([Int?](), 0)
    slots.reserveCapacity(rows.count)
    var stretch: RecordText.Stretch?
    for row in rows {
      let record = row + source.firstRecord
      if stretch?.contains(record) != true { stretch = try source.text.stretch(record) }
      let isFilled = stretch?.bytes.withUnsafeBytes { bytes in
        stretch.map {
          filler.fill(UnsafeRawBufferPointer(rebasing: bytes[$0.record(record)]), block, row: filled)
        } ?? false
      }
      slots.append(isFilled == true ? filled : nil)
      if isFilled == true { filled += 1 }
    }
    return (slots, filled)
  }
}
