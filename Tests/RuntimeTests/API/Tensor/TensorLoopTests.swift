import Testing

@testable import CoreMLRuntime

/// Loops over tensors, as in decoders of language models. The first round plans the computation, and later rounds reuse
/// the program.
///
/// The tests count programs under a compute policy that no other test uses.
@Suite(.serialized) struct TensorLoopTests {
  private static let policy = MLComputePolicy(.cpuAndNeuralEngine)

  private static func planned(_ body: () async throws -> Void) async rethrows -> Int {
    let before = TensorPrograms.shared.made(under: policy)
    try await withMLTensorComputePolicy(policy, body)
    return TensorPrograms.shared.made(under: policy) - before
  }

  /// Values, temperatures, positions and random numbers differ in each round.
  @Test func aSamplerIsPlannedOnce() async {
    var tokens: [Int32] = []
    let plans = await Self.planned {
      for round in 0..<20 {
        let logits = MLTensor(
          shape: [1, 3, 6], scalars: (0..<18).map { Float(($0 * 7 + round * 5) % 18) }, scalarType: Float.self)
        let scores = logits[nil, round % 3, nil] / (0.5 + Float(round) / 10)
        let (best, places) = scores.topK(3)
        let shares = best.softmax()
        var sums = shares.cumulativeSum()
        sums += (sums .< shares.sum() * (Float(round) / 20)) * 100.0
        let token = places.gathering(atIndices: sums.argsort()[..., 0], alongAxis: places.rank - 1)
        tokens.append(await token.reshaped(to: [1, 1]).shapedArray(of: Int32.self).scalars[0])
      }
    }
    #expect(plans == 1, "\(plans) programs were planned in 20 rounds")
    #expect(tokens.count == 20 && Set(tokens).count > 2 && tokens.allSatisfy { (0..<6).contains($0) })
  }

  /// State carried from round to round. The first round reads given values, the others read results.
  @Test func whatGoesOnFromRoundToRoundIsPlannedOnce() async {
    let plans = await Self.planned {
      var state = MLTensor(zeros: [4], scalarType: Float.self)
      for round in 0..<12 {
        let place = MLTensor([Int32(round % 4)])
        state = state.replacing(
          with: state.gathering(atIndices: place, alongAxis: 0) + 1, atIndices: place, alongAxis: 0)
        let greatest = await state.max().shapedArray(of: Float.self).scalar
        #expect(greatest == Float(round / 4 + 1))
      }
    }
    #expect(plans == 1, "\(plans) programs were planned in 12 rounds")
  }

  /// A window that moves along a sequence needs one program, because its start is a runtime value.
  @Test func windowsAreAProgram() async {
    let sequence = MLTensor(rangeFrom: Float(0), to: 32, by: 1).reshaped(to: [2, 16])
    _ = await sequence.shapedArray(of: Float.self)
    let plans = await Self.planned {
      for start in 0..<12 {
        let window = await (sequence[nil, start..<start + 4] * 2).shapedArray(of: Float.self).scalars
        let first: [Float] = (0..<4).map { Float(start + $0) * 2 }
        let second: [Float] = first.map { $0 + 32 }
        #expect(window == first + second)
      }
    }
    #expect(plans == 1, "\(plans) programs were planned in 12 rounds")
  }
}
