import CoreML
import CoreMLRuntime
import FeatureFiles
import Foundation

/// Predicts the rows of a table, of lines or of arrays in blocks. Numbers are parsed directly into the kernels' input
/// buffers, and results are printed from their output buffers. Several threads process groups of rows, and the results
/// are written in order.
///
/// A row that is unusual in any way is predicted alone, in its place among the others.
struct BlockBatch {
  private let sink: BatchSink
  private let worker: BlockWorker
  private let width: Int

  /// Nil if the rows, the results or the model do not support blocks.
  ///
  /// - Parameter width: Number of threads.
  init?(
    _ rows: any BatchRows, _ sink: BatchSink, _ model: MLModel, _ statistics: Statistics,
    common: [String: MLFeatureValue], width: Int
  ) {
    guard let source = rows as? any BlockSource, !source.reader.takesImages, let blocks = TabularBlocks(model),
      let encoder = sink.encoder(blocks), source.filler(blocks.inputs) != nil,
      let provider = try? MLDictionaryFeatureProvider(dictionary: common)
    else { return nil }
    let read = Set(blocks.inputs.map(\.feature))
    // Only single predictions check features that no kernel reads.
    let needed = model.modelDescription.inputDescriptionsByName.values.filter { !$0.mayBeLeftOut }.map(\.name)
    guard read.isSuperset(of: needed), read.isSuperset(of: common.keys) else { return nil }
    let constants: [Int]
    if let features = source.features {
      // Single predictions settle which value a feature has that stands in both.
      guard read == Set(features).union(common.keys), common.keys.allSatisfy({ !features.contains($0) }) else {
        return nil
      }
      constants = blocks.inputs.indices.filter { !features.contains(blocks.inputs[$0].feature) }
    } else {
      // Each line may have its own member for any feature.
      guard common.isEmpty else { return nil }
      constants = []
    }
    (self.sink, self.width) = (sink, width)
    worker = BlockWorker(
      source: source, blocks: blocks, encoder: encoder, statistics: statistics, constants: constants, common: provider)
    // The writer reads each group once more, for the run record and for rows that are predicted alone.
    source.keep(groups: 2 * width + 1)
  }

  /// Predicts the rows from index `first` on.
  ///
  /// - Parameters:
  ///   - single: Predicts the row at an index alone, and writes it.
  ///   - done: Called with the other rows after they are written.
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
        // The group may fit while no other group runs.
        encoded = Result { try pipeline.alone { try worker.encode(group.map { places[$0] }) } }
      }
      try write(encoded.get(), of: group, single: single, done: done)
    }
  }

  /// Groups of rows that are read together.
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
