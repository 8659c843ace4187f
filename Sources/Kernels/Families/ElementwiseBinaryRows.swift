import CKernels
import MIL

extension KernelTable {
  /// Vector kernels for operations of two broadcast inputs, and `select`.
  static let elementwiseBinaryRows: [Row] =
    arithmetic.map { name, op in
      Row("\(name).vector", for: name) { site in
        let operands = try BroadcastOperands(site, ["x", "y"])
        switch try site.scalar("x") {
        case .float32:
          return operands.offer { shape, strides, frame, x, y, rank in
            _ = ck_binary_f32(
              op, frame.input(x), frame.input(y), frame.output(0), rank, shape, strides[0], strides[1])
          }
        case .int32 where !["floor_div", "mod", "real_div", "pow"].contains(name):
          return operands.offer { shape, strides, frame, x, y, rank in
            _ = ck_binary_i32(
              op, frame.input(x), frame.input(y), frame.output(0), rank, shape, strides[0], strides[1])
          }
        case let scalar: throw Refusal("'x' is \(scalar.rawValue), the kernel takes fp32 and int32")
        }
      }
    }
    + comparisons.map { name, op in
      Row("\(name).vector", for: name) { site in
        let operands = try BroadcastOperands(site, ["x", "y"])
        switch try site.scalar("x") {
        case .float32:
          return operands.offer { shape, strides, frame, x, y, rank in
            _ = ck_compare_f32(
              op, frame.input(x), frame.input(y), frame.output(0), rank, shape, strides[0], strides[1])
          }
        case .int32:
          return operands.offer { shape, strides, frame, x, y, rank in
            _ = ck_compare_i32(
              op, frame.input(x), frame.input(y), frame.output(0), rank, shape, strides[0], strides[1])
          }
        case let scalar: throw Refusal("'x' is \(scalar.rawValue), the kernel takes fp32 and int32")
        }
      }
    }
    + logic.map { name, op in
      Row("\(name).vector", for: name) { site in
        try site.requireScalar(.bool, of: ["x", "y"])
        return try BroadcastOperands(site, ["x", "y"]).offer { shape, strides, frame, x, y, rank in
          _ = ck_logical_u8(op, frame.input(x), frame.input(y), frame.output(0), rank, shape, strides[0], strides[1])
        }
      }
    } + [
      Row("select.vector", for: "select") { site in
        try site.requireScalar(.bool, of: ["cond"])
        let size = site.outputs[0].scalar.bitWidth / 8
        guard [1, 2, 4, 8].contains(size) else { throw Refusal("elements of \(size) bytes") }
        let operands = try BroadcastOperands(site, ["cond", "a", "b"])
        let slots = operands.slots
        return operands.offer { shape, strides, frame, _, _, rank in
          _ = ck_select(
            size, frame.input(slots[0]), frame.inputs[slots[1]], frame.inputs[slots[2]], frame.outputs[0], rank, shape,
            strides[0], strides[1], strides[2])
        }
      }
    ]

  private static let arithmetic: [(String, ck_binary_op)] = [
    ("add", CK_BINARY_ADD), ("sub", CK_BINARY_SUB), ("mul", CK_BINARY_MUL), ("real_div", CK_BINARY_DIV),
    ("maximum", CK_BINARY_MAX), ("minimum", CK_BINARY_MIN), ("pow", CK_BINARY_POW),
    ("floor_div", CK_BINARY_FLOOR_DIV), ("mod", CK_BINARY_MOD),
  ]
  private static let comparisons: [(String, ck_compare_op)] = [
    ("equal", CK_COMPARE_EQ), ("not_equal", CK_COMPARE_NE), ("less", CK_COMPARE_LT), ("less_equal", CK_COMPARE_LE),
    ("greater", CK_COMPARE_GT), ("greater_equal", CK_COMPARE_GE),
  ]
  private static let logic: [(String, ck_logical_op)] = [
    ("logical_and", CK_LOGICAL_AND), ("logical_or", CK_LOGICAL_OR), ("logical_xor", CK_LOGICAL_XOR),
  ]
}

/// Operands broadcast to the output's shape: their strides, computed once. Adjacent axes that every operand walks alike are merged.
struct BroadcastOperands {
  let slots: [Int]
  private let shape: [Int]
  private let strides: [[Int]]
  private let count: Int
  private let sameSize: [Int]

  init(_ site: Site, _ names: [String]) throws {
    let output = try site.outputSizes()
    slots = try names.map { try site.slot($0) }
    let sources = try names.map { try site.sizes($0) }
    (shape, strides) = Self.merged(output, sources.map { Broadcast(from: $0, to: output).strides })
    guard shape.count <= Int(CK_MAX_RANK) else { throw Refusal("a broadcast over \(shape.count) axes") }
    count = output.reduce(1, *)
    // In place only where the operand has the output's own elements in order, and all others too or no axis at all.
    let bytes = site.outputs[0].byteCount
    sameSize = zip(slots, sources).filter { slot, source in
      source.reduce(1, *) == output.reduce(1, *) && site.operands[slot].type.byteCount == bytes
    }.map(\.0)
  }

  private static func merged(_ shape: [Int], _ strides: [[Int]]) -> ([Int], [[Int]]) {
    var sizes: [Int] = []
    var steps = strides.map { _ in [Int]() }
    for axis in shape.indices.reversed() where shape[axis] != 1 {
      if let last = sizes.last, strides.indices.allSatisfy({ strides[$0][axis] == (steps[$0].last ?? 0) * last }) {
        sizes[sizes.count - 1] = last * shape[axis]
        continue
      }
      sizes.append(shape[axis])
      for operand in strides.indices { steps[operand].append(strides[operand][axis]) }
    }
    return (sizes.reversed(), steps.map { $0.reversed() })
  }

  typealias Body =
    @Sendable (
      _ shape: UnsafePointer<Int>, _ strides: [UnsafePointer<Int>], CPUFrame, _ first: Int, _ second: Int, _ rank: Int
    ) -> Void

  /// The kernel over the whole output; the output may take the place of an operand of its own size.
  func offer(_ body: @escaping Body) -> Offer {
    let table = StrideTable([shape] + strides)
    let rank = shape.count
    let (first, second) = (slots[0], slots[1])
    return .cpu(efficiency: 0.08, inPlace: sameSize) { frame in
      body(table[0], table.others, frame, first, second, rank)
    }
  }
}

/// Small integer vectors at fixed addresses, for C.
final class StrideTable: @unchecked Sendable {  // never written after it is made
  private let memory: UnsafeMutablePointer<Int>
  private let length: Int
  let count: Int
  /// All vectors but the first.
  let others: [UnsafePointer<Int>]

  init(_ vectors: [[Int]]) {
    count = vectors.count
    length = max(vectors.map(\.count).max() ?? 0, 1)
    memory = .allocate(capacity: length * max(count, 1))
    memory.initialize(repeating: 0, count: length * max(count, 1))
    for (row, vector) in vectors.enumerated() {
      for (column, value) in vector.enumerated() { memory[row * length + column] = value }
    }
    others = (1..<max(count, 1)).map { [memory, length] in UnsafePointer(memory + $0 * length) }
  }

  deinit { memory.deallocate() }

  subscript(row: Int) -> UnsafePointer<Int> { UnsafePointer(memory + row * length) }
}
