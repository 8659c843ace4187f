import CoreMLKernels
import Foundation
import MIL
import Testing

@testable import CoreMLExecution

/// Constants of loops and branches belong to the model: they are stored and packed once, whatever runs the blocks.
/// Loops over stored weights become layers.
@Suite struct StoredLoopTests {
  /// Where a constant is defined.
  enum Place: CaseIterable { case outer, inside }

  /// A function from MIL text. Some of its inputs are replaced by constants.
  private func function(_ text: String, _ constants: [(name: String, operations: [MIL.Operation])], _ place: Place)
    throws
    -> Function
  {
    var function = try #require(MILText.parse("program(1.3) { func main<ios18>\(text); }").functions["main"])
    let names = Set(constants.map(\.name))
    function.inputs.removeAll { names.contains($0.name) }
    let operations = constants.flatMap(\.operations)
    guard place == .inside else {
      function.body.operations = operations + function.body.operations
      return function
    }
    let loop = try #require(function.body.operations.firstIndex { !$0.blocks.isEmpty })
    let body = function.body.operations[loop].blocks.count - 1
    function.body.operations[loop].blocks[body].operations.insert(contentsOf: operations, at: 0)
    return function
  }

  private func engine(_ function: Function, fuses: Bool = true) -> Engine {
    Engine(function: function, devices: DeviceChoice(threads: 2, allowsFusion: fuses))
  }

  // MARK: blocks

  private static let loop = """
    (tensor<fp16, [?, 256]> x, tensor<fp16, [256, 256]> w) {
      int32 n, tensor<fp16, [?, 256]> y = while_loop(loop_vars = (int32(0), x))
        block(int32 i, tensor<fp16, [?, 256]> h) { bool more = less(x = i, y = int32(3)); } -> (more)
        block(int32 i, tensor<fp16, [?, 256]> h) {
          tensor<fp16, [?, 256]> p = linear(x = h, weight = w);
          tensor<fp16, [?, 256]> g = softplus(x = p);
          int32 j = add(x = i, y = int32(1));
        } -> (j, g);
    } -> (y)
    """

  private func expected(_ x: [Double], _ w: [Double]) -> [Double] {
    var h = x
    for _ in 0..<3 {
      h = (0..<h.count).map { at in
        let sum = (0..<256).reduce(0.0) { $0 + h[at / 256 * 256 + $1] * w[at % 256 * 256 + $1] }
        return softplus(sum)
      }
    }
    return h
  }

  private func softplus(_ x: Double) -> Double { max(x, 0) + log1p(exp(-abs(x))) }

  @Test(arguments: Place.allCases) func aLoopReadsTheModelsOneCopy(_ place: Place) throws {
    for (label, operations, made) in try StoredProductTests.definitions("w", [256, 256]) {
      let engine = engine(try function(Self.loop, [("w", operations)], place))
      let w = try StoredProductTests.numbers(operations)
      func run(_ rows: Int) throws {
        let x = try StoredProductTests.ramp(.float16, [rows, 256], step: 11, modulo: 83)
        let y = try #require(try EngineTests.run(engine, ["x": x])["y"])
        // Rows are independent of each other, so the last one represents all.
        let wanted = try expected(Array(x.doubles().suffix(256)), w)
        let worst = zip(y.suffix(256), wanted).map { abs($0 - $1) }.max() ?? 1
        #expect(y.count == rows * 256 && worst < 4e-3, "\(label), \(place), \(rows) rows: \(worst)")
        let plan = try engine.plan(for: ["x": x.type])
        #expect(plan.steps.contains { if case .control = $0.action { true } else { false } }, "\(label), \(place)")
      }
      for rows in [1, 2] { try run(rows) }
      #expect(engine.weights.byteCount == made, "\(label), \(place): a few rows read what is stored")
      for rows in [20, 24] { try run(rows) }
      // 4-bit codes are decoded tile by tile. The panels of a packed product are as wide as the matrix, without padding.
      let packed = label == "four bits" ? 0 : 2 * 256 * 256
      #expect(engine.weights.byteCount == made + packed, "\(label), \(place): one packed copy at most, in fp16")
      let makers = (made == 0 ? 0 : 1) + (packed == 0 ? 0 : 1)
      #expect(engine.weights.madeCount == makers, "\(label), \(place): made once for all plans")
    }
  }

  /// Variables whose types change in every round have no plan. The interpreter reads the same constants.
  @Test(arguments: Place.allCases) func withoutAPlanTheNumbersAreTheSame(_ place: Place) throws {
    let text = """
      (tensor<fp16, [1, 256]> x, tensor<fp16, [256, 256]> w) {
        int32 n, tensor<fp16, [?, 256]> y = while_loop(loop_vars = (int32(0), x))
          block(int32 i, tensor<fp16, [?, 256]> h) { bool more = less(x = i, y = int32(7)); } -> (more)
          block(int32 i, tensor<fp16, [?, 256]> h) {
            tensor<fp16, [?, 256]> p = linear(x = h, weight = w);
            tensor<fp16, [?, 256]> g = concat(values = (p, x), axis = int32(0), interleave = bool(false));
            int32 j = add(x = i, y = int32(1));
          } -> (j, g);
      } -> (y)
      """
    for (label, operations, _) in try StoredProductTests.definitions("w", [256, 256]) {
      let x = try StoredProductTests.ramp(.float16, [1, 256], step: 11, modulo: 83)
      let y = try #require(
        try EngineTests.run(engine(try function(text, [("w", operations)], place)), ["x": x])["y"])
      let (row, w) = (try x.doubles(), try StoredProductTests.numbers(operations))
      // The last rows went through the fewest products.
      #expect(y.count == 8 * 256 && Array(y.suffix(256)) == row, "\(label)")
      let once = (0..<256).map { j in (0..<256).reduce(0.0) { $0 + row[$1] * w[j * 256 + $1] } }
      let worst = zip(y.dropLast(256).suffix(256), once).map { abs($0 - $1) }.max() ?? 1
      #expect(worst < 1e-3, "\(label), \(place): \(worst)")
    }
  }

  @Test func constantsLeaveBranchesWithTheirNamesApart() throws {
    let text = """
      (tensor<fp16, [1, 256]> x, tensor<fp16, [256, 256]> w) {
        fp16 s = reduce_sum(x = x, keep_dims = bool(false));
        bool isMore = greater(x = s, y = fp16(100));
        tensor<fp16, [1, 256]> y = cond(pred = isMore)
          block() { tensor<fp16, [1, 256]> a = exp(x = x); } -> (a)
          block() { tensor<fp16, [1, 256]> b = linear(x = x, weight = w); } -> (b);
        tensor<fp16, [1, 256]> w_1 = relu(x = y);
      } -> (y, w_1)
      """
    for (_, operations, _) in try StoredProductTests.definitions("w", [256, 256]) {
      let function = try function(text, [("w", operations)], .inside)
      let hoisted = try function.after(Declutter())
      let branch = try #require(hoisted.body.operations.first { $0.type == "cond" }).blocks[1]
      #expect(branch.operations.map(\.type) == ["linear"])
      #expect(branch.capturedNames.contains { $0.hasPrefix("w_") && $0 != "w_1" })
      let x = try StoredProductTests.ramp(.float16, [1, 256])
      let y = try #require(try EngineTests.run(engine(function), ["x": x])["y"])
      let (row, w) = (try x.doubles(), try StoredProductTests.numbers(operations))
      let wanted = (0..<256).reduce(0.0) { $0 + row[$1] * w[5 * 256 + $1] }
      #expect(abs(y[5] - wanted) < 1e-3)
    }
  }

  // MARK: loops that are layers

  private static let gru = """
    (tensor<fp16, [3, ?, 160]> x, tensor<fp16, [?, 160]> h0, tensor<fp16, [480, 160]> wi, tensor<fp16, [480, 160]> wh) {
      int32 last, tensor<fp16, [?, 160]> y = while_loop(loop_vars = (int32(0), h0))
        block(int32 k, tensor<fp16, [?, 160]> h) { bool more = less(x = k, y = int32(3)); } -> (more)
        block(int32 k, tensor<fp16, [?, 160]> h) {
          tensor<fp16, [?, 160]> xt = gather(x = x, indices = k, axis = int32(0));
          tensor<fp16, [?, 480]> p = linear(x = xt, weight = wi);
          tensor<fp16, [?, 480]> q = linear(x = h, weight = wh);
          tensor<fp16, [?, 160]> xr, tensor<fp16, [?, 160]> xz, tensor<fp16, [?, 160]> xn =
            split(x = p, num_splits = int32(3), axis = int32(1));
          tensor<fp16, [?, 160]> hr, tensor<fp16, [?, 160]> hz, tensor<fp16, [?, 160]> hc =
            split(x = q, num_splits = int32(3), axis = int32(1));
          tensor<fp16, [?, 160]> rp = add(x = xr, y = hr);
          tensor<fp16, [?, 160]> r = sigmoid(x = rp);
          tensor<fp16, [?, 160]> zp = add(x = xz, y = hz);
          tensor<fp16, [?, 160]> z = sigmoid(x = zp);
          tensor<fp16, [?, 160]> rn = mul(x = r, y = hc);
          tensor<fp16, [?, 160]> np = add(x = xn, y = rn);
          tensor<fp16, [?, 160]> n = tanh(x = np);
          tensor<fp16, [?, 160]> i = sub(x = fp16(1), y = z);
          tensor<fp16, [?, 160]> a = mul(x = i, y = n);
          tensor<fp16, [?, 160]> b = mul(x = z, y = h);
          tensor<fp16, [?, 160]> hn = add(x = a, y = b);
          int32 j = add(x = k, y = int32(1));
        } -> (j, hn);
    } -> (y, last)
    """

  /// The constant `name`, [480, 160]: plain, transposed, or a concatenation of two constants.
  private func spelled(_ name: String, _ spelling: String, encoding: Int) throws -> [MIL.Operation] {
    let type = { (shape: [Int]) in ValueType.tensor(TensorType(.float16, shape)) }
    switch spelling {
    case "transposed":
      return try StoredProductTests.definitions("\(name)_t", [160, 480])[encoding].operations + [
        Operation(
          "transpose", inputs: ["x": [.name("\(name)_t")], "perm": [.ints([1, 0])]],
          outputs: [NamedType(name, type([480, 160]))])
      ]
    case "joined":
      return try StoredProductTests.definitions("\(name)_a", [160, 160])[encoding].operations
        + StoredProductTests.definitions("\(name)_b", [320, 160])[encoding].operations + [
          Operation(
            "concat",
            inputs: [
              "values": [.name("\(name)_a"), .name("\(name)_b")], "axis": [.int(0)], "interleave": [.bool(false)],
            ], outputs: [NamedType(name, type([480, 160]))])
        ]
    default: return try StoredProductTests.definitions(name, [480, 160])[encoding].operations
    }
  }

  @Test(arguments: ["plain", "transposed", "joined"], Place.allCases)
  func loopsOfStoredWeightsAreRecognised(_ spelling: String, _ place: Place) throws {
    for encoding in 0..<4 {
      let constants = try ["wi", "wh"].map { (name: $0, operations: try spelled($0, spelling, encoding: encoding)) }
      let function = try function(Self.gru, constants, place)
      let (planned, plain) = (engine(function), engine(function, fuses: false))
      let label = "\(spelling), \(place), encoding \(encoding)"
      for batch in [2, 3] {
        let inputs = [
          "x": try StoredProductTests.ramp(.float16, [3, batch, 160], step: 13, modulo: 71),
          "h0": try StoredProductTests.ramp(.float16, [batch, 160], step: 5, modulo: 37),
        ]
        let types = inputs.mapValues(\.type)
        let left = try planned.specialised(for: types).body.operations.map(\.type)
        #expect(left.contains("gru") && !left.contains("while_loop"), "\(label)")
        let (found, wanted) = (try EngineTests.run(planned, inputs), try EngineTests.run(plain, inputs))
        let (a, b) = (try #require(found["y"]), try #require(wanted["y"]))
        let worst = zip(a, b).map { abs($0 - $1) }.max() ?? 1
        #expect(a.count == b.count && worst < 2e-3 && Set(b).count > 10, "\(label): \(worst)")
        #expect(found["last"] == [3], "\(label)")
      }
      // The gates of both matrices are concatenated in fp16 and then packed. If a spelling moves elements first, each
      // plan has its own copies.
      if spelling == "plain" {
        #expect(planned.weights.byteCount == 2 * (2 * 2 * 480 * 160), "\(label): one copy for both plans")
      }
    }
  }
}
