import CoreMLBase
import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLRuntime

/// One `MLState` serves all functions and models with matching states. A model with states refuses a prediction without
/// one.
@Suite struct SharedStateTests {
  private static let file = Checkout.cases.appending(path: "models/states/shared.mlpackage")

  /// Loads one function of the file.
  private static func model(_ function: String) throws -> MLModel {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    configuration.functionName = function
    return try MLModel(opening: file, configuration: configuration)
  }

  private static func input(_ width: Int = 2) throws -> MLDictionaryFeatureProvider {
    let x = try MLMultiArray(shape: [NSNumber(value: width)], dataType: .float32)
    for index in 0..<width { x[index] = NSNumber(value: index + 1) }
    return try MLDictionaryFeatureProvider(dictionary: ["x": x])
  }

  private static func numbers(_ output: any MLFeatureProvider) throws -> [Double] {
    let y = try #require(output.featureValue(for: "y")?.multiArrayValue)
    return (0..<y.count).map { y[$0].doubleValue }
  }

  @Test func functionsGoOnFromOneState() throws {
    let (prefill, decode, again) = (try Self.model("prefill"), try Self.model("decode"), try Self.model("prefill"))
    let (state, x) = (prefill.makeState(), try Self.input())
    #expect(try Self.numbers(prefill.prediction(from: x, using: state)) == [1, 2])
    #expect(try Self.numbers(decode.prediction(from: x, using: state)) == [11, 22])
    #expect(try Self.numbers(again.prediction(from: x, using: state)) == [12, 24])
    #expect(state.withMultiArray(for: "s") { $0[1].doubleValue } == 24)
  }

  /// A model without states accepts any `MLState`. A model also accepts an `MLState` with more states than its own.
  @Test func whatIsBesideTheModelsStatesIsLeftAlone() throws {
    let sums = try MLModel(
      opening: Checkout.cases.appending(path: "interface/sums.mlmodel"), configuration: MLModelConfiguration())
    let a = MLMultiArray(MLShapedArray<Float>(scalars: [1, 2, 3], shape: [1, 3]))
    let row = try MLDictionaryFeatureProvider(dictionary: ["a": a])
    #expect(try sums.prediction(from: row, using: Self.model("wide").makeState()).featureNames.contains("y"))
    let both = MLState(["s": TensorType(.float16, [2]), "t": TensorType(.float16, [7])])
    #expect(try Self.numbers(Self.model("decode").prediction(from: Self.input(), using: both)) == [10, 20])
    #expect(both.withMultiArray(for: "t") { $0.count } == 7)
  }

  @Test(arguments: [
    ("wide", 3, "the given state 's' is tensor<fp16, [2]>, the model keeps tensor<fp16, [3]>"),
    ("renamed", 2, "the given state has no 't', which the model keeps; it has s"),
  ])
  func otherStatesAreRefused(_ function: String, width: Int, sentence: String) throws {
    let (model, state) = (try Self.model(function), try Self.model("prefill").makeState())
    let error = #expect(throws: MLModelError.self) { try model.prediction(from: Self.input(width), using: state) }
    #expect(error?.code == .featureType && error?.message == sentence, "\(String(describing: error))")
    #expect(state.withMultiArray(for: "s") { $0[0].doubleValue } == 0)
  }

  @Test func anotherElementTypeIsRefused() throws {
    let single = MLState(["s": TensorType(.float32, [2])])
    #expect(throws: MLModelError.self) { try Self.model("decode").prediction(from: Self.input(), using: single) }
  }

  // MARK: without a state

  private static func isRefusal(_ error: (any Error)?) -> Bool {
    guard let error = error as? MLModelError else { return false }
    return error.code == .featureType && error.cause == .inputs
      && error.localizedDescription == "The input feature for s must be an MLState, but it was not."
      && error.message == "the model keeps the state 's' between predictions, and no state was given"
  }

  @Test func withoutAStateEveryWayToPredictIsRefused() async throws {
    let (model, x) = (try Self.model("decode"), try Self.input())
    let batch = MLArrayBatchProvider(array: [x, x])
    #expect(Self.isRefusal(#expect(throws: (any Error).self) { try model.prediction(from: x) }))
    #expect(Self.isRefusal(#expect(throws: (any Error).self) { try model.prediction(from: x, options: .init()) }))
    #expect(Self.isRefusal(#expect(throws: (any Error).self) { try model.predictions(fromBatch: batch) }))
    #expect(
      Self.isRefusal(#expect(throws: (any Error).self) { try model.predictions(from: batch, options: .init()) }))
    #expect(
      Self.isRefusal(
        #expect(throws: (any Error).self) { try model.predictions(fromBatch: MLArrayBatchProvider(array: [x])) }))
    let given = UncheckedSendable(x)
    await #expect(performing: { _ = try await model.prediction(from: given.value) }, throws: Self.isRefusal)
    let tensors = ["x": MLTensor(ones: [2], scalarType: Float.self)]
    await #expect(performing: { _ = try await model.prediction(from: tensors) }, throws: Self.isRefusal)
    let told = await withCheckedContinuation { continuation in
      model.prediction(from: given.value) { features, error in
        continuation.resume(returning: features == nil && Self.isRefusal(error))
      }
    }
    #expect(told)
  }

  /// Tools that look at single predictions ask for a zeroed state explicitly.
  @Test func toolsBeginWithZeros() throws {
    let (model, x) = (try Self.model("decode"), try Self.input())
    for _ in 0..<2 { #expect(try Self.numbers(model.predictionFromFreshState(from: x)) == [10, 20]) }
    #expect(try StepProfile(model, input: x, iterations: 1).steps.isEmpty == false)
    #expect(try model.intermediateValues(of: x).contains { $0.name == "y" })
  }
}
