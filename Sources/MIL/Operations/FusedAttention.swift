/// Attention as fused by a pass from products, a softmax and operations that move elements. It does not occur in model
/// files.
///
/// - `sizes`: [items, queries, elements of a query, elements of a value].
/// - `query_view` and the other views: the positions of an operand's matrices (see `StridedMatrices`).
/// - `part_rows`: the number of rows of each part, since keys and values may be split into several parts. Parts are
///   fp16 or fp32.
/// - `part_rounds`: two booleans per part, which say whether its keys and its values are rounded to fp16.
/// - `mask_kind`, `mask_fill`: for each mask, its kind and the value that replaces scores.
extension AttentionShape {
  package static let operationName = "fused.attention"

  static let parameters: [Parameter] =
    [.required("query"), .variadic("key"), .variadic("value")]
    + ["mask", "mask_view", "mask_kind", "mask_fill"].map { Parameter(name: $0, isOptional: true, isVariadic: true) }
    + [.variadic("key_view"), .variadic("value_view"), .optional("part_rounds")]
    + ["part_rows", "sizes", "scale", "query_view", "output_view", "output_shape"].map { .required($0) }

  /// The arguments of the operation without its operands.
  package var arguments: [String: [Binding]] {
    var result: [String: [Binding]] = [
      "sizes": [.ints([items, length, depth, width])], "scale": [.float(scale)], "query_view": [.ints(query.numbers)],
      "key_view": parts.map { .ints($0.key.numbers) }, "value_view": parts.map { .ints($0.value.numbers) },
      "part_rows": [.ints(parts.map(\.rows))], "output_view": [.ints(output.numbers)],
      "output_shape": [.ints(outputShape)],
    ]
    let rounds = parts.flatMap { [$0.roundsKey, $0.roundsValue] }
    if rounds.contains(true) { result["part_rounds"] = [.ints(rounds.map { $0 ? 1 : 0 })] }
    if !masks.isEmpty {
      result["mask_view"] = masks.map { .ints($0.view.numbers) }
      result["mask_kind"] = masks.map { .string($0.kind.rawValue) }
      result["mask_fill"] = masks.map { .float($0.fill) }
    }
    return result
  }

  /// Reads the arguments of the operation. Throws if a view exceeds its operand.
  package init(fused call: Invocation) throws {
    func view(_ name: String, _ index: Int = 0) throws -> StridedMatrices {
      guard let view = StridedMatrices(try call.constant(name, index).ints()) else {
        throw call.error(.invalidArgument, "'\(name)' is no offset, row, column and axes")
      }
      return view
    }
    let sizes = try call.ints("sizes")
    let rows = try call.ints("part_rows")
    let rounds = try call.has("part_rounds") ? call.ints("part_rounds") : [Int](repeating: 0, count: 2 * rows.count)
    let count = call.count("mask")
    guard sizes.count == 4, sizes.allSatisfy({ $0 > 0 }), !rows.isEmpty, rows.allSatisfy({ $0 > 0 }),
      TensorType.elementCount([rows.count, rows.max() ?? 0]) != nil,
      ["key", "value", "key_view", "value_view"].allSatisfy({ call.count($0) == rows.count }),
      ["mask_view", "mask_kind", "mask_fill"].allSatisfy({ call.count($0) == count }), rounds.count == 2 * rows.count
    else { throw call.error(.invalidArgument, "'sizes', 'part_rows', 'part_rounds' and the views do not agree") }
    let parts = try rows.indices.map {
      Part(
        rows: rows[$0], key: try view("key_view", $0), value: try view("value_view", $0),
        roundsKey: rounds[2 * $0] != 0,
        roundsValue: rounds[2 * $0 + 1] != 0)
    }
    let masks = try (0..<count).map { index in
      let word = try call.constant("mask_kind", index).strings().first ?? ""
      guard let kind = Mask.Kind(rawValue: word), let fill = try call.constant("mask_fill", index).doubles().first
      else {
        throw call.error(.invalidArgument, "'mask_kind' is '\(word)'")
      }
      return Mask(kind, fill: Float(fill), view: try view("mask_view", index))
    }
    self.init(
      items: sizes[0], length: sizes[1], depth: sizes[2], width: sizes[3], scale: Float(try call.double("scale")),
      query: try view("query_view"), parts: parts, masks: masks, output: try view("output_view"),
      outputShape: try call.ints("output_shape"))
    try check(call)
  }

  private func check(_ call: Invocation) throws {
    func require(_ name: String, _ index: Int, _ view: StridedMatrices, _ rows: Int, _ columns: Int) throws {
      let type = try call.tensor(name, index)
      guard view.items == items, let end = view.end(rows: rows, columns: columns), let count = type.elementCount,
        end <= count
      else {
        throw call.error(.invalidShape, "'\(name)' is \(type): \(items) matrices [\(rows), \(columns)] are not in it")
      }
    }
    try require("query", 0, query, length, depth)
    for (index, part) in parts.enumerated() {
      try require("key", index, part.key, part.rows, depth)
      try require("value", index, part.value, part.rows, width)
    }
    for (index, mask) in masks.enumerated() { try require("mask", index, mask.view, length, sources) }
    guard outputShape.allSatisfy({ $0 >= 0 }), let count = TensorType.elementCount(outputShape), output.items == items,
      TensorType.elementCount([items, length, width]) == count, output.fills(count, rows: length, columns: width)
    else { throw call.error(.invalidShape, "the results do not fill \(outputShape)") }
  }
}

extension AttentionShape {
  /// The memory traffic in bytes. Of a cache with all layers, only one layer's part counts.
  fileprivate func bytes(_ call: Invocation, _ outputs: [ValueType]) -> Double {
    func read(_ parameter: String, _ index: Int, _ columns: Int, rows: Int) -> Double {
      guard let types = call.inputTypes[parameter], types.indices.contains(index), let type = types[index].tensor,
        let count = type.elementCount
      else { return 0 }
      let size = Double(type.byteCount ?? 0) / Double(max(count, 1))
      return size * min(Double(count), Double(items) * Double(rows) * Double(columns))
    }
    let keys = parts.enumerated().reduce(0) { bytes, part in
      bytes + read("key", part.offset, depth, rows: part.element.rows)
        + read("value", part.offset, width, rows: part.element.rows)
    }
    let others = masks.indices.reduce(0) { $0 + read("mask", $1, sources, rows: length) }
    let results = outputs.reduce(0) { $0 + Double($1.tensor?.byteCount ?? 0) }
    return read("query", 0, depth, rows: length) + keys + others + results
  }
}

enum FusedAttentionOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      AttentionShape.operationName, AttentionShape.parameters,
      work: { call, outputs in
        guard let form = try? AttentionShape(fused: call) else { return Work(flops: 0) }
        return Work(
          flops: 2 * Double(form.items * form.length) * Double(form.sources) * Double(form.depth + form.width),
          bytes: form.bytes(call, outputs))
      }
    ) { call in
      let form = try AttentionShape(fused: call)
      return [.tensor(TensorType(try call.tensor("query").scalar, form.outputShape))]
    }
  ]
}
