import MIL

/// Computes the projections of one value that an attention reads as a single product. The value is read once, and a
/// device gets one launch in place of three.
///
///     attention(linear(x, a), linear(x, b), linear(x, c))   =>   attention(y, y, y) of y = linear(x, [a; b; c])
///
/// The attention reads its part of each row. Products of few rows are not fused: they are limited by reading their
/// weights, and separate products read these in their stored form.
struct FuseProjections: Pass {
  private static let leastRows = 17
  /// Kernels process 16 columns at a time, so each part of a row must start at a multiple of it.
  private static let unit = 16

  /// Names of the values that are fp16 in the model file. Fused projections must be either all fp16 or all fp32.
  let f16: Set<String>

  func callAsFunction(_ function: Function) throws -> Function {
    guard function.contains(AttentionShape.operationName) else { return function }
    var result = function
    let (walk, stored) = (ViewWalk(function), function.constantNames)
    var names = FreshNames(function)
    var (dropped, inserted): (Set<Int>, [Int: [Operation]]) = ([], [:])
    for (index, attention) in function.body.operations.enumerated() where attention.type == AttentionShape.operationName
    {
      let roles = ["query", "key", "value"]
      let found = roles.compactMap { role in
        attention.binding(role)?.name.flatMap { Projection($0, role, readBy: index, walk, function, stored) }
      }
      // The largest group with a common input. Other projections are unchanged.
      let groups = Dictionary(grouping: found, by: \.source).values
      guard let group = groups.max(by: { $0.count < $1.count }), group.count > 1,
        Set(group.map(\.maker)).count == group.count,
        Set(group.map { f16.contains($0.output.name) }).count == 1, Set(group.map(\.depth)).count == 1,
        group[0].rows >= Self.leastRows,
        group.allSatisfy({ $0.columns % Self.unit == 0 }),
        // Last, so that no other attention depends on sizes that grow.
        let call = walk.call(attention), var form = try? AttentionShape(fused: call), form.parts.count == 1
      else { continue }
      let total = group.reduce(0) { $0 + $1.columns }
      var (first, isWhole) = (0, true)
      for projection in group {
        func moved(_ view: StridedMatrices, _ rows: Int, _ columns: Int) -> StridedMatrices {
          guard let view = view.inRows(of: projection.columns, to: total, from: first, rows, columns) else {
            isWhole = false
            return view
          }
          return view
        }
        switch projection.role {
        case "query": form.query = moved(form.query, form.length, form.depth)
        case "key": form.parts[0].key = moved(form.parts[0].key, form.parts[0].rows, form.depth)
        default: form.parts[0].value = moved(form.parts[0].value, form.parts[0].rows, form.width)
        }
        first += projection.columns
      }
      guard isWhole else { continue }
      let last = group.map(\.maker).max() ?? index
      inserted[last] = joined(group, total, function, &names)
      dropped.formUnion(group.map(\.maker))
      // The fused result gets the name of an existing value, so that facts recorded by name (such as fp16 storage) hold
      // for it too.
      for projection in group { result.body.operations[index].inputs[projection.role] = [.name(group[0].output.name)] }
      result.body.operations[index].inputs.merge(form.arguments) { $1 }
    }
    guard !dropped.isEmpty else { return function }
    result.body.operations = result.body.operations.enumerated().flatMap { index, operation in
      inserted[index] ?? (dropped.contains(index) ? [] : [operation])
    }
    return result
  }

  /// The fused product of a group's projections, preceded by its concatenated weights.
  private func joined(
    _ group: [Projection], _ total: Int, _ function: Function, _ names: inout FreshNames
  ) -> [Operation] {
    let origins = group.flatMap { function.body.operations[$0.maker].named }
    func rows(_ name: String, _ type: TensorType, _ parts: [Binding]) -> Operation {
      let arguments = zip(["first", "second", "third"], parts).map { ($0, [$1]) }
      return Operation(
        "constexpr_rows", inputs: Dictionary(uniqueKeysWithValues: arguments),
        outputs: [NamedType(name, .tensor(type))],
        origins: origins)
    }
    let base = group[0].output.name
    let weight = names.name(base + "__weight")
    var operations = [
      rows(weight, TensorType(.float32, [total, group[0].depth]), group.map(\.weight))
    ]
    var linear = function.body.operations[group[0].maker]
    linear.inputs["weight"] = [.name(weight)]
    if group.contains(where: { $0.bias != nil }) {
      let bias = names.name(base + "__bias")
      let parts = group.map { projection in
        projection.bias
          ?? .literal(.float32s(Array(repeating: 0, count: projection.columns)))
      }
      operations.append(rows(bias, TensorType(.float32, [total]), parts))
      linear.inputs["bias"] = [.name(bias)]
    }
    linear.origins = origins
    if let shape = group[0].output.type.tensor?.concreteShape {
      linear.outputs = [NamedType(base, .tensor(TensorType(.float32, shape.dropLast() + [total])))]
    }
    return operations + [linear]
  }
}

/// A linear layer with constant weights whose only reader is an attention.
private struct Projection {
  let role: String
  let maker: Int
  let output: NamedType
  let source: String
  let weight: Binding
  let bias: Binding?
  let rows: Int
  let columns: Int
  let depth: Int

  /// `stored` has the names of the function's constants.
  init?(
    _ name: String, _ role: String, readBy reader: Int, _ walk: ViewWalk, _ function: Function, _ stored: Set<String>
  ) {
    guard walk.uses.onlyReader(of: name) == reader, let maker = walk.uses.maker(of: name),
      case let linear = function.body.operations[maker], linear.type == "linear", linear.code == nil,
      linear.outputs.count == 1, let source = linear.binding("x")?.name, let weight = linear.binding("weight"),
      let type = weight.constantType(walk.types, stored), type.scalar == .float32,
      let sizes = type.concreteShape, sizes.count == 2, let shape = walk.shape(name),
      linear.outputs[0].type.tensor?.scalar == .float32, shape.last == sizes[0]
    else { return nil }
    if let bias = linear.binding("bias") {
      guard let type = bias.constantType(walk.types, stored), type.scalar == .float32, type.concreteShape == [sizes[0]]
      else { return nil }
    } else if linear.inputs["bias"] != nil {
      return nil
    }
    (self.role, self.maker, output, self.source, self.weight) = (role, maker, linear.outputs[0], source, weight)
    (bias, columns, depth) = (linear.binding("bias"), sizes[0], sizes[1])
    rows = shape.dropLast().reduce(1, *)
  }
}

extension StridedMatrices {
  /// The same elements after the tensor's rows (`width` elements) have become a part of longer rows (`total` elements),
  /// starting at column `first`. Nil if a stride is neither within a row nor a multiple of the row length.
  fileprivate func inRows(of width: Int, to total: Int, from first: Int, _ rows: Int, _ columns: Int)
    -> StridedMatrices?
  {
    var isWhole = true
    // The last column that is reached within a row.
    var reach = offset % width
    func step(_ step: Int, _ size: Int) -> Int {
      if step % width == 0 { return step / width * total }
      let (farthest, overflow) = max(size - 1, 0).multipliedReportingOverflow(by: step)
      isWhole = isWhole && step < width && !overflow && farthest < width
      reach += isWhole ? farthest : 0
      return step
    }
    let batch = batch.map { Axis($0.size, step($0.step, $0.size)) }
    let result = StridedMatrices(
      offset: offset / width * total + offset % width + first, rowStep: step(rowStep, rows),
      columnStep: step(columnStep, columns), batch: batch)
    return isWhole && reach < width ? result : nil
  }
}
