import CKernels
import MIL

/// Constant weights of some gates of a recurrent layer, packed for its steps. fp16 if fp16 holds them exactly.
struct RecurrentWeights: Sendable {
  private let memory: PackedMemory
  private let gates: [Int]
  private let hidden: Int
  private let depth: Int
  private let isF16: Bool

  /// - Parameters:
  ///   - weight: `hidden` rows of `depth` for every gate of the layer.
  ///   - gates: indices of the gates to pack, in the order of the step's accumulators.
  init(_ weight: StoredWeight, gates: [Int], hidden: Int, depth: Int, _ preparation: Preparation) throws {
    (self.gates, self.hidden, self.depth) = (gates, hidden, depth)
    let isF16 = F16Matrix.canHold(weight)
    self.isF16 = isF16
    let wide = ck_recurrent_unit_size(gates.count)
    let units = (hidden + wide - 1) / wide
    let (floats, overflow) = (units * wide * gates.count).multipliedReportingOverflow(by: depth)
    guard !overflow, floats <= TensorType.maximumByteCount / 4, weight.type.scalar == .float32,
      weight.count >= ((gates.max() ?? 0) + 1) * hidden * depth
    else { throw KernelError(.outOfMemory, "the weights \(weight.type) cannot be packed") }
    let recipe = PackingRecipe(
      "recurrent", [hidden, depth, isF16 ? 1 : 0] + gates,
      byteCount: ck_recurrent_packed_size(gates.count, hidden, depth) * (isF16 ? 2 : 4))
    memory = try preparation.packed(weight, recipe) { bytes in
      guard let target = bytes.baseAddress, depth > 0 else { return }
      let window = try WeightWindow(weight, width: depth, capacity: min(wide, hidden) * depth)
      for item in 0..<units * gates.count {
        let (unit, position) = (item / gates.count, item % gates.count)
        let first = gates[position] * hidden
        window.read(first + unit * wide..<first + min((unit + 1) * wide, hidden), 0..<depth) { floats, stride in
          ck_recurrent_pack_f32(gates.count, hidden, depth, floats, stride, position, unit, isF16, target)
        }
      }
    }
  }

  var units: Int { Self.units(gates.count, hidden) }

  static func units(_ gates: Int, _ hidden: Int) -> Int {
    let wide = ck_recurrent_unit_size(gates)
    return (hidden + wide - 1) / wide
  }

  /// Valid while this value is alive.
  var view: ck_recurrent_weights {
    func number(_ position: Int) -> Int { position < gates.count ? gates[position] : 0 }
    return ck_recurrent_weights(
      gates: gates.count, hidden: hidden, depth: depth, order: (number(0), number(1), number(2), number(3)),
      f16: isF16, packed: memory.pointer)
  }
}
