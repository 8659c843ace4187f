import CoreMLKernels
import MIL

/// The views through which the operands of an attention are read.
struct AttentionViews {
  let items: Int
  private(set) var scale: Float
  private(set) var queryName: String
  private(set) var query: StridedMatrices
  private(set) var keyNames: [String]
  private(set) var valueNames: [String]
  private(set) var parts: [AttentionShape.Part]
  private(set) var maskNames: [String] = []
  private(set) var masks: [AttentionShape.Mask] = []
  /// Names that are no longer read.
  private(set) var passed: [String]

  /// - Parameter takesParts: Whether an attention with few queries may read keys and values as fp16, and from the
  ///   operands of their concatenation.
  init?(_ found: AttentionParts, _ walk: ViewWalk, takesParts: Bool) {
    let batch = found.batch
    items = batch.reduce(1, *)
    /// Matrices [rows, columns] for every item, contiguous along rows or columns.
    func matrices(
      _ view: StridedView, _ isTransposed: Bool, _ batch: [Int], _ rows: Int, _ columns: Int
    ) -> StridedMatrices? {
      let rank = view.axes.count
      guard rank >= 2,
        let turned = isTransposed ? view.transposed(Array(0..<rank - 2) + [rank - 1, rank - 2]) : view,
        let result = turned.broadcast(to: batch + [rows, columns])?.matrices,
        columns == 1 || rows == 1 || result.columnStep == 1 || result.rowStep == 1
      else { return nil }
      return result
    }
    // With many sources, packed keys and values need too much memory. Then the model's original operations are faster
    // than an attention that reads them again for each query.
    guard
      found.length < 4
        || found.sources.multipliedReportingOverflow(by: found.depth + found.width).partialValue <= 12 << 20
    else { return nil }
    // With few queries, the kernel reads keys and values in stored form. With more, it packs them as fp32.
    let isFew = takesParts && found.length < 4
    func find(
      _ operand: AttentionParts.Operand, _ batch: [Int], _ rows: Int, _ columns: Int, scales: Bool, f16: Bool
    ) -> (found: ViewWalk.Found, matrices: StridedMatrices)? {
      guard
        let place = walk.view(
          of: operand.name, scales: scales, f16: f16,
          accepts: { matrices($0, operand.isTransposed, batch, rows, columns) != nil }),
        let result = matrices(place.view, operand.isTransposed, batch, rows, columns)
      else { return nil }
      return (place, result)
    }
    guard let query = find(found.query, batch, found.length, found.depth, scales: true, f16: false),
      let key = find(found.key, batch, found.sources, found.depth, scales: true, f16: isFew),
      let value = find(found.value, found.valueBatch, found.sources, found.width, scales: false, f16: isFew)
    else { return nil }
    (queryName, self.query) = (query.found.view.source, query.matrices)
    let factor = found.scale * query.found.scale * key.found.scale
    scale = Float(factor)
    // The file multiplies in several steps. Here one fp32 factor must hold the whole product.
    guard scale.isNormal || factor == 0 else { return nil }
    (keyNames, valueNames) = ([key.found.view.source], [value.found.view.source])
    parts = [
      AttentionShape.Part(
        rows: found.sources, key: key.matrices, value: value.matrices, roundsKey: key.found.rounds,
        roundsValue: value.found.rounds)
    ]
    passed = query.found.passed + key.found.passed + value.found.passed
    // A decoder step appends its keys and values to those of earlier steps. With few queries, the kernel reads the
    // parts without the concatenation.
    if isFew, key.found.passed.isEmpty, value.found.passed.isEmpty, key.found.scale == 1,
      let keys = Self.joined(found.key, walk), let values = Self.joined(found.value, walk),
      keys.map(\.rows) == values.map(\.rows)
    {
      let pieces = zip(keys, values).compactMap {
        part, other -> (ViewWalk.Found, ViewWalk.Found, AttentionShape.Part)? in
        guard
          let key = find(
            AttentionParts.Operand(name: part.name, isTransposed: found.key.isTransposed), batch, part.rows,
            found.depth,
            scales: false, f16: true),
          let value = find(
            AttentionParts.Operand(name: other.name, isTransposed: found.value.isTransposed), found.valueBatch,
            other.rows, found.width,
            scales: false, f16: true)
        else { return nil }
        let part = AttentionShape.Part(
          rows: part.rows, key: key.matrices, value: value.matrices, roundsKey: key.found.rounds,
          roundsValue: value.found.rounds)
        return (key.found, value.found, part)
      }
      if pieces.count == keys.count {
        keyNames = pieces.map(\.0.view.source)
        valueNames = pieces.map(\.1.view.source)
        parts = pieces.map(\.2)
        passed += [found.key.name, found.value.name] + pieces.flatMap { $0.0.passed + $0.1.passed }
      }
    }
    for mask in found.masks {
      // The kernel copies the rows of a mask that are not contiguous, so any view is accepted.
      guard let place = walk.view(of: mask.name, accepts: { $0.broadcast(to: mask.shape)?.matrices != nil }),
        let view = place.view.broadcast(to: mask.shape)?.matrices
      else { return nil }
      maskNames.append(place.view.source)
      masks.append(AttentionShape.Mask(mask.kind, fill: mask.fill, view: view))
      passed += place.passed
    }
  }

  private static let mostParts = 8

  /// The values that are concatenated along an operand's rows. Nil if there is no such concatenation, or if it has more
  /// than `mostParts` parts.
  private static func joined(_ operand: AttentionParts.Operand, _ walk: ViewWalk) -> [(name: String, rows: Int)]? {
    guard let maker = walk.maker(of: operand.name), maker.type == "concat", maker.code == nil,
      let values = maker.inputs["values"], values.count <= mostParts, let shape = walk.shape(operand.name),
      let call = walk.call(maker),
      let axis = try? call.axis("axis", rank: shape.count), axis == shape.count - (operand.isTransposed ? 1 : 2),
      (try? call.bool("interleave", default: false)) == false
    else { return nil }
    let names = values.map(\.name)
    let parts = names.compactMap { name in name.flatMap { name in walk.shape(name).map { (name, $0[axis]) } } }
    return parts.count == names.count && parts.count > 1 ? parts : nil
  }
}
