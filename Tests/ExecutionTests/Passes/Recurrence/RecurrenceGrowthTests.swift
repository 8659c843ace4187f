import CoreMLBase
import CoreMLKernels
import MIL
import Synchronization
import Testing

@testable import CoreMLExecution

/// Checking whether a loop is a recurrent layer takes time in proportion to the file size, whatever the loop contains.
@Suite struct RecurrenceGrowthTests {
  private static let pool = ThreadPool(threads: 1)

  private static func surroundings(
    _ scope: Scope = Scope(), _ maker: @escaping (String) -> Operation? = { _ in nil }
  ) -> LoopSurroundings {
    LoopSurroundings(scope: scope, stored: [:], pool: pool, maker: maker)
  }

  /// Walks a block with the input state `s`, as the analysis of a round does.
  private static func walk(_ operations: [Operation], width: Int) throws {
    var round = Round(surroundings(), pool: pool, rounds: 2)
    let state = try round.state(0, TensorType(.float32, [2, width]))
    try round.define("s", state)
    _ = try round.walk(Block(operations: operations, outputs: [operations.last?.outputs[0].name ?? "s"]))
  }

  private static func refusal(_ body: () throws -> Void) -> String? {
    #expect(throws: LoopRefusal.self) { try body() }?.reason
  }

  /// Every sum reads the two previous atoms, and both read the previous sum: 2^40 paths to the state and 80
  /// atoms.
  @Test(arguments: [8, 40]) func columnsOfASumOfSharedAtomsAreTakenOnce(depth: Int) throws {
    var atoms = CellAtoms()
    let number = try atoms.add(.state(0), width: 4)
    let matrix = try CellMatrix(
      #require(StoredWeight(Tensor(float32: Array(repeating: 0.5, count: 16), shape: [4, 4]))), isTransposed: false)
    var sum = try number.times(matrix)
    for _ in 0..<depth {
      sum = try atoms.activated(FusedActivation(.tanh), sum).adding(atoms.activated(FusedActivation(.sigmoid), sum))
    }
    let before = atoms.count
    #expect(before == 2 * depth + 1)
    _ = try atoms.columns(0..<2, of: sum)
    #expect(atoms.count - before == 2 * depth)
    // Asking for the same columns again adds no atoms.
    _ = try atoms.columns(0..<2, of: sum)
    #expect(atoms.count - before == 2 * depth)
  }

  @Test func aRoundOfMoreThanACellIsRefused() {
    let operations = (0..<CellAtoms.most + 1).map { index in
      Operation(
        "tanh", inputs: ["x": [.name(index == 0 ? "s" : "t\(index - 1)")]], outputs: [NamedType("t\(index)", .open)])
    }
    #expect(Self.refusal { try Self.walk(operations, width: 4) }?.contains("more than a cell") == true)
  }

  /// Columns that are not known can be concatenated with themselves indefinitely, and each time the number of parts
  /// doubles.
  @Test func partsThatDoubleAreRefused() {
    let operations = (0..<12).map { index in
      let before = Binding.name(index == 0 ? "s" : "t\(index - 1)")
      return Operation(
        "concat", inputs: ["values": [before, before], "axis": [.int(1)], "interleave": [.bool(false)]],
        outputs: [NamedType("t\(index)", .open)])
    }
    #expect(Self.refusal { try Self.walk(operations, width: 0) }?.contains("joined of more than a cell") == true)
  }

  /// Every sum has one coefficient per column.
  @Test func wideCoefficientsAreCounted() throws {
    let width = 1 << 17
    let row = Value.tensor(Tensor(float32: (0..<width).map { Float($0) }, shape: [width]))
    let operations = (0..<80).map { index in
      Operation(
        "add", inputs: ["x": [.name(index == 0 ? "s" : "t\(index - 1)")], "y": [.literal(row)]],
        outputs: [NamedType("t\(index)", .open)])
    }
    #expect(Self.refusal { try Self.walk(operations, width: width) }?.contains("more coefficients") == true)
  }

  /// An array is a concatenation of four copies of another array, and this nesting continues: 4^7 paths to the zeros
  /// and seven concatenations.
  @Test func zerosAreLookedForOnce() throws {
    var scope = Scope()
    var makers = [
      "z0": Operation(
        "fill", inputs: ["shape": [.ints([1, 1])], "value": [.float(0)]], outputs: [NamedType("z0", .open)])
    ]
    scope.define("z0", .tensor(TensorType(.float32, [1, 1])))
    var rows = 1
    for level in 1...7 {
      rows *= 4
      scope.define("z\(level)", .tensor(TensorType(.float32, [rows, 1])))
      makers["z\(level)"] = Operation(
        "concat",
        inputs: [
          "values": Array(repeating: .name("z\(level - 1)"), count: 4), "axis": [.int(0)], "interleave": [.bool(false)],
        ], outputs: [NamedType("z\(level)", .open)])
    }
    var asked = 0
    let all = makers
    let surroundings = Self.surroundings(scope) { name in
      asked += 1
      return all[name]
    }
    #expect(surroundings.isZero(.name("z7"), after: 0))
    #expect(asked <= 8)
  }

  /// The pass checks for cancellation within the block of a loop. A cancelled walk must throw, and not leave the loop
  /// unchanged.
  @Test func theWalkOfARoundIsStopped() throws {
    var body = "tensor<fp32, [1, 2]> t0 = tanh(x = v);"
    for index in 1..<200 { body += "tensor<fp32, [1, 2]> t\(index) = tanh(x = t\(index - 1));" }
    let engine = try EngineTests.engine(
      """
      (tensor<fp32, [1, 2]> x) {
        int32 n, tensor<fp32, [1, 2]> y = while_loop(loop_vars = (int32(0), x))
          block(int32 k, tensor<fp32, [1, 2]> v) { bool m = less(x = k, y = int32(2)); } -> (m)
          block(int32 k, tensor<fp32, [1, 2]> v) { \(body) int32 j = add(x = k, y = int32(1)); } -> (j, t199);
      } -> (y)
      """)
    let asked = Atomic(0)
    let cancellation = Cancellation { asked.add(1, ordering: .relaxed).newValue > 100 }
    let pass = Specialize(pool: Self.pool, recognisesLoops: true)
    let error = #expect(throws: MILError.self) { try cancellation.during { _ = try pass(engine.function) } }
    #expect(error?.code == .cancelled)
    // Without a cancellation the pass keeps the loop.
    #expect(try pass(engine.function).body.operations.contains { $0.type == "while_loop" })
  }
}
