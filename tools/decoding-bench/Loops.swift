import CoreML

/// Gets the logits from a model and samples the token with MLTensor operations, as language model packages do.
final class OverTensors: Decoding {
  private let model: MLModel
  private let state: MLState
  private var token = MLTensor(shape: [1, 1], scalars: [Int32(1)])
  private var position: Int32 = 0
  private var chances = Chances()

  init(_ folder: URL) async throws {
    model = try await MLModel.load(contentsOf: MLModel.compileModel(at: folder.appending(path: "step.mlpackage")))
    state = model.makeState()
  }

  func decode(_ count: Int) async throws -> [Int32] {
    var said: [Int32] = []
    for _ in 0..<count {
      let inputs = ["token": token, "position": MLTensor([position])]
      guard let logits = try await model.prediction(from: inputs, using: state)["logits"] else { break }
      let (best, places) = (logits / Float16(0.8)).topK(40)
      let sums = best.softmax(alongAxis: -1).cumulativeSum(alongAxis: -1)
      let place = (sums .> chances.next()).cast(to: Float16.self).argmax(alongAxis: -1)
      token = places.gathering(atIndices: place, alongAxis: -1)
      said += await token.shapedArray(of: Int32.self).scalars
      position += 1
    }
    return said
  }
}

/// Gets the sampled token from the ML program.
final class InsideProgram: Decoding {
  private let model: MLModel
  private let state: MLState
  private var token: Int32 = 1
  private var position: Int32 = 0
  private var chances = Chances()

  init(_ folder: URL) async throws {
    model = try await MLModel.load(contentsOf: MLModel.compileModel(at: folder.appending(path: "whole.mlpackage")))
    state = model.makeState()
  }

  func decode(_ count: Int) async throws -> [Int32] {
    var said: [Int32] = []
    for _ in 0..<count {
      let inputs = try MLDictionaryFeatureProvider(dictionary: [
        "token": MLMultiArray(MLShapedArray(scalars: [token], shape: [1, 1])), "position": MLMultiArray([position]),
        "chance": MLMultiArray(MLShapedArray(scalars: [chances.next()], shape: [1])),
      ])
      let output = try await model.prediction(from: inputs, using: state)
      guard let next = output.featureValue(for: "next")?.multiArrayValue else { break }
      token = next[0].int32Value
      said.append(token)
      position += 1
    }
    return said
  }
}
