import CoreML
import CoreMLRuntime
import FeatureFiles
import Foundation

/// Predicts the rows of a table, of lines or of arrays in blocks: numbers go straight to where kernels read them, and results are made of what
/// kernels wrote. Several threads work on groups of rows, and the results are written in order.
///
/// A row that is unusual in any way is predicted by itself, in its place among the others.
struct BlockBatch {
  private let sink: BatchSink
  private let worker: BlockWorker
  private let width: Int

  /// Nil where rows, results or the model do not go in blocks.
  ///
  /// - Parameter width: threads.
  init?(
    _ rows: any BatchRows, _ sink: BatchSink, _ model: MLModel, _ statistics: Statistics,
    common: [String: MLFeatureValue], width: Int
  ) {
    guard let source = rows as? any BlockSource, !source.reader.takesImages, let blocks = RowBlocks(model),
      let encoder = sink.encoder(blocks), source.filler(blocks.inputs) != nil,
      let provider = try? MLDictionaryFeatureProvider(dictionary: common)
    else { return nil }
    let read = Set(blocks.inputs.map(\.feature))
    // What no kernel reads is checked by single predictions alone.
    let needed = model.modelDescription.inputDescriptionsByName.values.filter { !$0.mayBeLeftOut }.map(\.name)
    guard read.isSuperset(of: needed), read.isSuperset(of: common.keys) else { return nil }
    let constants: [Int]
    if let features = source.features {
      guard read == Set(features).union(common.keys) else { return nil }
      constants = blocks.inputs.indices.filter { !features.contains(blocks.inputs[$0].feature) }
    } else {
      // Lines may have members of their own for each feature.
      guard common.isEmpty else { return nil }
      constants = []
    }
    (self.sink, self.width) = (sink, width)
    worker = BlockWorker(
      source: source, blocks: blocks, encoder: encoder, statistics: statistics, constants: constants, common: provider)
    // The writer reads each group once more for the record of the run, and rows that are predicted by themselves.
    source.keep(groups: 2 * width + 1)
  }

  /// Predicts rows from a place on.
  ///
  /// - Parameters:
  ///   - single: predicts the row at a place by itself, and writes it.
  ///   - done: is told of the other rows that were written.
  func run(
    from first: Int, single: (Int) throws -> Void, done: (Range<Int>) -> Void
  ) throws {
    let (places, worker) = (sink.batch.places, worker)
    worker.statistics.begin(width: width)
    let pipeline = RowPipeline<Range<Int>, EncodedRows>(width: width) { group in
      try worker.encode(group.map { places[$0] })
    }
    try pipeline.run(groups(from: first)) { group, outcome in
      var encoded = Result(catching: outcome)
      if case .failure(let error) = encoded, !(error is CancellationError), Failure(error).status == .temporary {
        // By itself the group may have room.
        encoded = Result { try pipeline.alone { try worker.encode(group.map { places[$0] }) } }
      }
      try write(encoded.get(), of: group, single: single, done: done)
    }
  }

  /// Rows that are read together.
  private func groups(from first: Int) -> some Sequence<Range<Int>> {
    let places = sink.batch.places
    return sequence(state: first) { [source = worker.source] place -> Range<Int>? in
      guard place < places.count else { return nil }
      let (start, end) = (place, source.endOfGroup(from: places[place]))
      repeat { place += 1 } while place < places.count && places[place] < end
      return start..<place
    }
  }

  private func write(
    _ encoded: EncodedRows, of group: Range<Int>, single: (Int) throws -> Void, done: (Range<Int>) -> Void
  ) throws {
    let watch = Stopwatch()
    var (place, start, alone) = (group.lowerBound, 0, 0.0)
    while place < group.upperBound {
      let row = place - group.lowerBound
      let run = encoded.run(place..<group.upperBound, row: min(row, encoded.ends.count), start: start)
      if run.places.isEmpty {
        let before = watch.seconds
        try single(place)
        alone += watch.seconds - before
        place += 1
      } else {
        try sink.write(run)
        done(run.places)
        (place, start) = (run.places.upperBound, run.end)
      }
    }
    worker.statistics.add(watch.seconds - alone, to: .write)
  }
}
