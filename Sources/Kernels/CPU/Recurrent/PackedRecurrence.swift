import CKernels
import MIL

/// A recurrent layer with constant weights. The input part of all steps is one matrix product. Each step reads the
/// packed recurrent weights once, and computes gates and states while the accumulators are in registers. Steps traverse
/// the weights alternately forward and backward. So parts of them stay in the cache even if they exceed it.
struct PackedRecurrence: Sendable {
  /// The operands of one direction.
  private struct Pass: Sendable {
    let weights: [StoredWeight]
    let slots: [Int]
    let bias: Int?
    let inputBias: Int?
    let peephole: Int?
  }

  /// The packed weights of a part.
  private struct Packed: Sendable {
    let input: RecurrentWeights
    let recurrent: RecurrentWeights
    /// The offset of the part's accumulators in the scratch memory of a pass, and the elements of one step of one item.
    let offset: Int
    let width: Int
  }

  private let layer: RecurrentProblem
  private let cell: RecurrentCellKernel
  private let passes: [Pass]
  private let initial: Int
  private let initialCell: Int?
  /// Elements of one item's state, and of all states in scratch memory.
  private let ld: Int
  private let stateFloats: Int
  private let widths: [Int]
  private let passFloats: Int

  init(_ problem: KernelProblem, _ cell: RecurrentCellKernel) throws {
    let layer = try RecurrentProblem(problem, gates: cell.gates)
    (self.layer, self.cell) = (layer, cell)
    passes = try (layer.passes == 2 ? ["", "_back"] : [""]).map { suffix in
      let slots = try ["weight_ih", "weight_hh"].map { try problem.slot($0 + suffix) }
      let weights = try slots.map { slot in
        guard let weight = problem.operands[slot].weight else {
          throw Refusal("'\(problem.operands[slot].parameter)' is not a constant")
        }
        return weight
      }
      return Pass(
        weights: weights, slots: slots, bias: problem.optionalSlot("bias" + suffix),
        inputBias: suffix.isEmpty ? problem.optionalSlot("input_bias") : nil,
        peephole: problem.optionalSlot("peephole" + suffix))
    }
    initial = try problem.slot("initial_h")
    initialCell = problem.optionalSlot("initial_c")
    let hidden = layer.hidden
    let padded = cell.parts.map {
      RecurrentWeights.units($0.gates.count, hidden) * ck_recurrent_unit_size($0.gates.count)
    }
    ld = padded.max() ?? hidden
    widths = zip(cell.parts, padded).map { $0.gates.count * $1 }
    // The states before and after a step, the cell state of an LSTM, and two buffers of a GRU.
    stateFloats = 5 * layer.batch * ld + cell.gates * hidden + 15 & ~15
    let (floats, overflow) = (layer.steps * layer.batch).multipliedReportingOverflow(by: widths.reduce(0, +))
    guard !overflow, floats <= 1 << 30 else { throw Refusal("the gates of all steps take more than four gigabytes") }
    // With very few hidden elements the gates are mostly padding.
    guard floats <= max(4 * layer.steps * layer.batch * cell.gates * hidden, 1 << 22) else {
      throw Refusal("the gates of all steps are mostly padding")
    }
    passFloats = stateFloats + floats
  }

  var candidate: Candidate {
    let count = layer.passes == 2 && layer.threads > 1 ? 2 : 1
    return Candidate(
      efficiency: layer.efficiency, scratchBytes: passFloats * count * 4, packed: Set(passes.flatMap(\.slots))
    ) { preparation in
      let packed = try passes.map { pass in
        var offset = stateFloats
        return try cell.parts.indices.map { part in
          let (gates, hidden) = (cell.parts[part].gates, layer.hidden)
          defer { offset += layer.steps * layer.batch * widths[part] }
          return Packed(
            input: try RecurrentWeights(
              pass.weights[0], gates: gates, hidden: hidden, depth: layer.inputs, preparation),
            recurrent: try RecurrentWeights(
              pass.weights[1], gates: gates, hidden: hidden, depth: hidden, preparation),
            offset: offset, width: widths[part])
        }
      }
      return .cpu { run($0, packed) }
    }
  }

  private func run(_ frame: CPUFrame, _ packed: [[Packed]]) {
    let scratch = frame.scratch.assumingMemoryBound(to: Float.self)
    guard passes.count == 2, layer.threads > 1 else {
      for pass in passes.indices { run(frame, pass, packed[pass], scratch, alone: true) }
      return
    }
    // The two directions are independent.
    frame.pool.run(2) { items in
      for pass in items { run(frame, pass, packed[pass], scratch + pass * passFloats, alone: false) }
    }
  }

  private func run(
    _ frame: CPUFrame, _ pass: Int, _ packed: [Packed], _ scratch: UnsafeMutablePointer<Float>, alone: Bool
  ) {
    let size = layer.batch * ld
    let (c, reset, z, biases) = (scratch + 2 * size, scratch + 3 * size, scratch + 4 * size, scratch + 5 * size)
    scratch.update(repeating: 0, count: 5 * size)
    let bias = inputBias(frame, passes[pass], biases)
    for part in packed.indices { project(frame, packed[part], bias, scratch, alone: alone) }
    var (state, next) = (scratch, scratch + size)
    layer.load(frame.input(initial), pass: pass, to: state, ld: ld)
    if let initialCell { layer.load(frame.input(initialCell), pass: pass, to: c, ld: ld) }
    var step = ck_recurrent_step()
    (step.batch, step.ld) = (layer.batch, ld)
    (step.c, step.z) = (c, z)
    step.bias = cell.isResetAfter ? frame.input(optional: passes[pass].bias).advanced(layer.hidden) : nil
    step.peephole = frame.input(optional: passes[pass].peephole)
    (step.coupled, step.limit, step.clip, step.functions) = (cell.isCoupled, cell.limit, cell.clip, cell.functions)
    for number in 0..<layer.steps {
      let item = layer.source(number, pass: pass) * layer.batch
      for part in packed.indices {
        step.kind = cell.parts[part].kind
        step.weights = packed[part].recurrent.view
        step.sums = UnsafePointer(scratch + packed[part].offset + item * packed[part].width)
        step.ldsums = packed[part].width
        step.old = UnsafePointer(state)
        step.h = UnsafePointer(part == 0 ? state : reset)
        step.next = part + 1 < packed.count ? reset : next
        advance(frame, &step, packed[part].recurrent.units, backward: number % 2 == 1, alone: alone)
      }
      swap(&state, &next)
      layer.store(frame, step: number, pass: pass, state, ld: ld)
    }
    if initialCell != nil {
      layer.copy(c, ld: ld, to: frame.output(2, as: Float.self) + pass * layer.hidden, layer.passes * layer.hidden)
    }
  }

  private func advance(
    _ frame: CPUFrame, _ step: inout ck_recurrent_step, _ units: Int, backward: Bool, alone: Bool
  ) {
    let columns = step.ldsums
    let count =
      alone ? RowProduct.pieces(columns: columns * layer.batch, depth: layer.hidden, threads: layer.threads) : 1
    guard count > 1 else { return ck_recurrent_step_f32(&step, 0, units, backward) }
    let pieces = Chunks(units, about: count)
    withUnsafePointer(to: step) { step in
      frame.pool.run(pieces.count) { items in
        for item in items {
          ck_recurrent_step_f32(step, pieces[item].lowerBound, pieces[item].upperBound, backward)
        }
      }
    }
  }

  /// The input part of the accumulators of all steps.
  private func project(
    _ frame: CPUFrame, _ packed: Packed, _ bias: UnsafePointer<Float>?, _ scratch: UnsafeMutablePointer<Float>,
    alone: Bool
  ) {
    let (x, rows) = (layer.input(frame), layer.steps * layer.batch)
    let weights = packed.input.view
    let pieces = Chunks(packed.input.units, about: alone && layer.threads > 1 ? 4 * layer.threads : 1)
    withUnsafePointer(to: weights) { weights in
      frame.pool.run(pieces.count) { items in
        for item in items {
          ck_recurrent_product_f32(
            weights, rows, x, layer.inputs, bias, scratch + packed.offset, packed.width, pieces[item].lowerBound,
            pieces[item].upperBound)
        }
      }
    }
  }

  /// The biases that are added to the input part: all, except the candidate's recurrent bias if the reset gate
  /// multiplies it.
  private func inputBias(
    _ frame: CPUFrame, _ pass: Pass, _ sum: UnsafeMutablePointer<Float>
  ) -> UnsafePointer<Float>? {
    guard let bias = pass.bias else { return frame.input(optional: pass.inputBias) }
    let recurrent: UnsafePointer<Float> = frame.input(bias)
    let input = frame.input(optional: pass.inputBias, as: Float.self)
    guard input != nil || cell.isResetAfter else { return recurrent }
    let hidden = layer.hidden
    for index in 0..<cell.gates * hidden {
      let isCandidate = index >= hidden && index < 2 * hidden
      sum[index] = (input?[index] ?? 0) + (cell.isResetAfter && isCandidate ? 0 : recurrent[index])
    }
    return UnsafePointer(sum)
  }
}
