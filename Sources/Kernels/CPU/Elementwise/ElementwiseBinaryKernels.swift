import CKernels
import MIL

/// Vector kernels for operations of two broadcast inputs, and `select`.
enum ElementwiseBinaryKernels {
  static let all: [KernelImplementation] =
    arithmetic.map { name, op in
      KernelImplementation("\(name).vector", for: name) { problem in
        let operands = try BroadcastOperands(problem, ["x", "y"])
        switch try problem.scalar("x") {
        case .float32:
          return operands.candidate { part in
            _ = ck_binary_f32(
              op, part.input(0), part.input(1), part.output(), part.rank, part.shape, part.strides[0], part.strides[1])
          }
        case .int32:
          return operands.candidate { part in
            _ = ck_binary_i32(
              op, part.input(0), part.input(1), part.output(), part.rank, part.shape, part.strides[0], part.strides[1])
          }
        case let scalar: throw Refusal("'x' is \(scalar.rawValue), the kernel takes fp32 and int32")
        }
      }
    }
    + comparisons.map { name, op in
      KernelImplementation("\(name).vector", for: name) { problem in
        let operands = try BroadcastOperands(problem, ["x", "y"])
        switch try problem.scalar("x") {
        case .float32:
          return operands.candidate { part in
            _ = ck_compare_f32(
              op, part.input(0), part.input(1), part.output(), part.rank, part.shape, part.strides[0], part.strides[1])
          }
        case .int32:
          return operands.candidate { part in
            _ = ck_compare_i32(
              op, part.input(0), part.input(1), part.output(), part.rank, part.shape, part.strides[0], part.strides[1])
          }
        case let scalar: throw Refusal("'x' is \(scalar.rawValue), the kernel takes fp32 and int32")
        }
      }
    }
    + logic.map { name, op in
      KernelImplementation("\(name).vector", for: name) { problem in
        try problem.requireScalar(.bool, of: ["x", "y"])
        return try BroadcastOperands(problem, ["x", "y"]).candidate { part in
          _ = ck_logical_u8(
            op, part.input(0), part.input(1), part.output(), part.rank, part.shape, part.strides[0], part.strides[1])
        }
      }
    } + [
      KernelImplementation("select.vector", for: "select") { problem in
        try problem.requireScalar(.bool, of: ["cond"])
        let size = problem.outputs[0].scalar.bitWidth / 8
        guard [1, 2, 4, 8].contains(size) else { throw Refusal("elements of \(size) bytes") }
        return try BroadcastOperands(problem, ["cond", "a", "b"]).candidate { part in
          _ = ck_select(
            size, part.input(0), part.input(1), part.input(2), part.result, part.rank, part.shape, part.strides[0],
            part.strides[1], part.strides[2])
        }
      }
    ]

  static let arithmetic: [(String, ck_binary_op)] = [
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

/// Small integer vectors at fixed addresses, for C kernels.
final class StrideTable: @unchecked Sendable {  // never written after initialization
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
