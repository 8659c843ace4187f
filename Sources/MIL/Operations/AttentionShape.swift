/// Attention over a batch of items (sequences and heads), independent of its decomposition and of its operands'
/// layouts:
/// softmax(masks over scale x query key^T) value.
package struct AttentionShape: Sendable, Hashable {
  /// A part of the keys and values, if they are concatenated from several.
  package struct Part: Sendable, Hashable {
    package var rows: Int
    package var key: StridedMatrices
    package var value: StridedMatrices
    /// Whether the elements are rounded to fp16 when they are read.
    package var roundsKey: Bool
    package var roundsValue: Bool

    package init(
      rows: Int, key: StridedMatrices, value: StridedMatrices, roundsKey: Bool = false, roundsValue: Bool = false
    ) {
      (self.rows, self.key, self.value) = (rows, key, value)
      (self.roundsKey, self.roundsValue) = (roundsKey, roundsValue)
    }
  }

  package struct Mask: Sendable, Hashable {
    package enum Kind: String, Sendable {
      /// Numbers that are added to the scores.
      case add
      /// Booleans: keeps the scores where true, `fill` elsewhere.
      case keep
      /// Booleans: keeps the scores where false, `fill` elsewhere.
      case drop
    }

    package var kind: Kind
    package var fill: Float
    package var view: StridedMatrices

    package init(_ kind: Kind, fill: Float = 0, view: StridedMatrices) {
      (self.kind, self.fill, self.view) = (kind, fill, view)
    }
  }

  package var items: Int
  /// `length`: the number of queries. `depth`: elements of a query or key. `width`: elements of a value.
  package var length: Int
  package var depth: Int
  package var width: Int
  package var scale: Float
  package var query: StridedMatrices
  package var parts: [Part]
  /// In the order in which they are applied to the scores.
  package var masks: [Mask]
  package var output: StridedMatrices
  package var outputShape: [Int]

  package init(
    items: Int, length: Int, depth: Int, width: Int, scale: Float, query: StridedMatrices, parts: [Part], masks: [Mask],
    output: StridedMatrices, outputShape: [Int]
  ) {
    (self.items, self.length, self.depth, self.width, self.scale) = (items, length, depth, width, scale)
    (self.query, self.parts, self.masks, self.output, self.outputShape) = (query, parts, masks, output, outputShape)
  }

  /// The number of keys per query.
  package var sources: Int { parts.reduce(0) { $0 + $1.rows } }

  /// `scaled_dot_product_attention` of concrete shapes: dense operands, and a scale of 1 / sqrt(depth).
  package init(dense call: Invocation) throws {
    let query = try call.sizes("query")
    let rank = query.count
    let lead = Array(query.dropLast(2))
    let (length, depth) = (query[rank - 2], query[rank - 1])
    let (sources, width) = (try call.sizes("key")[rank - 2], try call.sizes("value")[rank - 1])
    func dense(_ rows: Int, _ columns: Int) -> StridedMatrices {
      var (batch, step): ([StridedMatrices.Axis], Int) = ([], rows * columns)
      for size in lead.reversed() {
        batch.insert(StridedMatrices.Axis(size, step), at: 0)
        step *= size
      }
      return StridedMatrices(rowStep: columns, columnStep: 1, batch: batch)
    }
    var masks: [Mask] = []
    if call.has("attn_mask") {
      let view = try StridedMatrices(broadcasting: call.sizes("attn_mask"), to: lead + [length, sources])
      let isBool = try call.tensor("attn_mask").scalar == .bool
      masks = [Mask(isBool ? .keep : .add, fill: isBool ? -.infinity : 0, view: view)]
    }
    self.init(
      items: lead.reduce(1, *), length: length, depth: depth, width: width, scale: 1 / Float(depth).squareRoot(),
      query: dense(length, depth),
      parts: [Part(rows: sources, key: dense(sources, depth), value: dense(sources, width))],
      masks: masks, output: dense(length, width), outputShape: lead + [length, width])
  }
}

extension StridedMatrices {
  /// A dense tensor that is broadcast to `target`.
  package init(broadcasting shape: [Int], to target: [Int]) {
    var axes = target.map { Axis($0, 0) }
    var step = 1
    for (axis, size) in zip(axes.indices.reversed(), shape.reversed()) {
      if size != 1 { axes[axis].step = step }
      step *= size
    }
    self.init(rowStep: axes[axes.count - 2].step, columnStep: axes[axes.count - 1].step, batch: axes.dropLast(2))
  }
}
