import MIL

enum MatmulKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("matmul.stored", for: "matmul") { problem in
      try StoredLinear(LinearProblem(matmul: problem), problem.weight("y"), threads: problem.threads).candidate
    },
    KernelImplementation("matmul.stored.bf16", for: "matmul") { problem in
      try StoredLinear(inLowPrecision: problem, LinearProblem(matmul: problem), problem.weight("y")).candidate
    },
    KernelImplementation("matmul.coded", for: "matmul") {
      try CodedLinear($0, LinearProblem(matmul: $0), $0.weight("y")).candidate
    },
    KernelImplementation("matmul.packed", for: "matmul") {
      try PackedLinear($0, LinearProblem(matmul: $0), $0.weight("y")).candidate
    },
    KernelImplementation("matmul.packed.bf16", for: "matmul") {
      try PackedLinear($0, LinearProblem(matmul: $0), $0.weight("y"), inLowPrecision: true).candidate
    },
    KernelImplementation("matmul.packed.both", for: "matmul") { problem in
      try problem.requireScalar(.float32, of: ["x", "y"])
      return try PackedProduct(BatchedProduct(matmul: problem), threads: max(problem.threads, 1)).candidate
    },
    KernelImplementation("matmul.gemm", for: "matmul") { problem in
      try problem.requireScalar(.float32, of: ["x", "y"])
      return try BatchedProduct(matmul: problem).candidate(threads: max(problem.threads, 1))
    },
    KernelImplementation("einsum.packed.both", for: "einsum") { problem in
      try problem.requireScalar(.float32, of: ["values"])
      return try PackedProduct(BatchedProduct(einsum: problem), threads: max(problem.threads, 1)).candidate
    },
    KernelImplementation("einsum.gemm", for: "einsum") { problem in
      try problem.requireScalar(.float32, of: ["values"])
      return try BatchedProduct(einsum: problem).candidate(threads: max(problem.threads, 1))
    },
  ]
}

extension BatchedProduct {
  init(matmul problem: KernelProblem) throws {
    let product = try MatrixProduct.Matmul(problem.invocation)
    guard let rows = product.rows.value, let columns = product.columns.value, let depth = product.depth.value,
      let batch = TensorType(.float32, product.batch).concreteShape, let count = TensorType.elementCount(batch),
      count <= Self.placeLimit
    else { throw Refusal("the batch is too large") }
    try Self.admit(count)
    let batchX = product.batchX.map { $0.value ?? 1 }
    let batchY = product.batchY.map { $0.value ?? 1 }
    let (x, y) = (Broadcast(from: batchX, to: batch), Broadcast(from: batchY, to: batch))
    // One matrix for the whole batch: the rows of all batch items are the rows of a single product.
    let isShared =
      !product.transposeX && batchY.allSatisfy { $0 == 1 } && TensorType.elementCount(batchX) == count
    let places =
      isShared
      ? [Place(a: 0, b: 0, c: 0)]
      : Indices(batch).enumerated().map { item, index in
        Place(a: x.offset(index) * rows * depth, b: y.offset(index) * depth * columns, c: item * rows * columns)
      }
    let all = isShared ? rows * count : rows
    guard
      let a = Layout(
        rows: all, columns: depth, rowStride: product.transposeX ? 1 : depth,
        columnStride: product.transposeX ? rows : 1),
      let b = Layout(
        rows: depth, columns: columns, rowStride: product.transposeY ? 1 : columns,
        columnStride: product.transposeY ? depth : 1)
    else { throw Refusal("the product is empty") }
    self.init(
      slotA: try problem.slot("x"), slotB: try problem.slot("y"), rows: all, columns: columns, depth: depth, a: a, b: b,
      ldc: columns, places: places)
  }

  /// An einsum of two operands. Labels in both operands and the result are batch axes. Labels in one operand and the
  /// result are rows or columns. Labels in both operands only are K.
  init(einsum problem: KernelProblem) throws {
    let equation = try EinsumEquation(problem.invocation)
    let sizes = try equation.sizes(problem.invocation)
    guard equation.inputs.count == 2, equation.inputs.allSatisfy({ Set($0).count == $0.count }) else {
      throw Refusal("not two operands with a label an axis")
    }
    let labels = equation.output + Set(equation.inputs.joined()).subtracting(equation.output).sorted()
    func axes(_ own: [Character], _ shape: [Int]) -> [Character: Int] {
      Dictionary(uniqueKeysWithValues: zip(labels, EinsumEquation.strides(own, shape, labels)))
    }
    let all = labels.map {
      EinsumAxis(
        label: $0, size: sizes[$0]?.value ?? 0, isX: equation.inputs[0].contains($0),
        isY: equation.inputs[1].contains($0))
    }.filter { $0.size != 1 }
    let x = axes(equation.inputs[0], try problem.sizes("values", 0))
    let y = axes(equation.inputs[1], try problem.sizes("values", 1))
    let output = axes(equation.output, try problem.outputSizes())
    let results = Set(equation.output)
    var batch = all.filter { $0.isX && $0.isY && results.contains($0.label) }
    let sums = all.filter { !results.contains($0.label) }
    guard sums.allSatisfy({ $0.isX && $0.isY }) else { throw Refusal("a label of one operand alone is summed over") }
    let rows = EinsumAxis.merge(all.filter { $0.isX && !$0.isY && results.contains($0.label) }, [x, output])
    let columns = EinsumAxis.merge(all.filter { $0.isY && !$0.isX && results.contains($0.label) }, [y, output])
    let depth = EinsumAxis.merge(sums, [x, y])
    guard depth.rest.isEmpty else { throw Refusal("the summed axes are not contiguous in both operands") }
    batch += rows.rest + columns.rest
    guard let count = TensorType.elementCount(batch.map(\.size)), count <= Self.placeLimit else {
      throw Refusal("the batch is too large")
    }
    let (rowStep, columnStep) = (rows.strides[1], columns.strides[1])
    guard columns.size == 1 || columnStep == 1, rows.size == 1 || rowStep >= columns.size,
      let a = Layout(rows: rows.size, columns: depth.size, rowStride: rows.strides[0], columnStride: depth.strides[0]),
      let b = Layout(
        rows: depth.size, columns: columns.size, rowStride: depth.strides[1], columnStride: columns.strides[0])
    else { throw Refusal("an operand has neither contiguous rows nor contiguous columns") }
    try Self.admit(count)
    func offset(_ strides: [Character: Int], _ index: [Int]) -> Int {
      zip(batch, index).reduce(0) { $0 + $1.1 * (strides[$1.0.label] ?? 0) }
    }
    let places = try Indices(batch.map(\.size)).map {
      Place(a: offset(x, $0), b: offset(y, $0), c: offset(output, $0))
    }
    let slots = problem.slots("values")
    self.init(
      slotA: slots[0], slotB: slots[1], rows: rows.size, columns: columns.size, depth: depth.size, a: a, b: b,
      ldc: max(rowStep, columns.size), places: places)
  }
}

/// A label of an equation.
private struct EinsumAxis {
  let label: Character
  let size: Int
  let isX: Bool
  let isY: Bool

  /// Merges the longest suffix of axes that is a single axis in every one of `layouts`. Returns its size, its strides
  /// (0 for one element), and the remaining axes.
  static func merge(
    _ axes: [EinsumAxis], _ layouts: [[Character: Int]]
  ) -> (size: Int, strides: [Int], rest: [EinsumAxis]) {
    guard let last = axes.last else { return (1, layouts.map { _ in 0 }, []) }
    let strides = layouts.map { $0[last.label] ?? 0 }
    var size = last.size
    var rest = axes.dropLast()
    while let next = rest.last, zip(layouts, strides).allSatisfy({ ($0[next.label] ?? 0) == $1 * size }) {
      size *= next.size
      rest = rest.dropLast()
    }
    return (size, strides, Array(rest))
  }
}
