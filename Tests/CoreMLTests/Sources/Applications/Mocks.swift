// swift-format-ignore-file
import CoreML

// Substitutes for models and their parts in an application's tests.

protocol Predicting {
    var modelDescription: MLModelDescription { get }
    func prediction(from input: MLFeatureProvider) throws -> MLFeatureProvider
    func prediction(from input: MLFeatureProvider, options: MLPredictionOptions) async throws -> MLFeatureProvider
    func predictions(fromBatch batch: MLBatchProvider) throws -> MLBatchProvider
}
extension MLModel: Predicting {}

protocol StatefulPredicting: AnyObject {
    func makeState() -> MLState
    func prediction(from input: MLFeatureProvider, using state: MLState) throws -> MLFeatureProvider
    func prediction(from inputs: [String: MLTensor], using state: MLState) async throws -> [String: MLTensor]
}
extension MLModel: StatefulPredicting {}

final class MockFeature: MLFeatureDescription, @unchecked Sendable {
    private let mockName: String
    private let mockType: MLFeatureType
    init(name: String, type: MLFeatureType) {
        mockName = name
        mockType = type
        super.init()
    }
    @available(*, unavailable) required init?(coder: NSCoder) { fatalError("not used") }
    override var name: String { mockName }
    override var type: MLFeatureType { mockType }
    override var isOptional: Bool { true }
    override func isAllowedValue(_ value: MLFeatureValue) -> Bool { value.type == mockType }
}

final class MockDescription: MLModelDescription, @unchecked Sendable {
    override var inputDescriptionsByName: [String: MLFeatureDescription] {
        ["x": MockFeature(name: "x", type: .multiArray)]
    }
    override var outputDescriptionsByName: [String: MLFeatureDescription] {
        ["y": MockFeature(name: "y", type: .double)]
    }
    override var metadata: [MLModelMetadataKey: Any] { [.author: "nobody", .creatorDefinedKey: ["a": "b"]] }
    override var classLabels: [Any]? { ["yes", "no"] }
    override var predictedFeatureName: String? { "y" }
}

class CountingModel: MLModel, @unchecked Sendable {
    var calls = 0
    var answer: MLFeatureProvider? = try? MLDictionaryFeatureProvider(dictionary: ["y": 2.5])
    private let mockDescription = MockDescription()

    override var modelDescription: MLModelDescription { mockDescription }
    override var configuration: MLModelConfiguration {
        let configuration = MLModelConfiguration()
        configuration.modelDisplayName = "counting"
        return configuration
    }

    override func prediction(from input: MLFeatureProvider) throws -> MLFeatureProvider {
        try prediction(from: input, options: MLPredictionOptions())
    }

    override func prediction(from input: MLFeatureProvider, options: MLPredictionOptions) throws -> MLFeatureProvider {
        calls += 1
        guard let answer else { throw MLModelError(.generic, userInfo: [NSLocalizedDescriptionKey: "no answer"]) }
        return answer
    }

    override func predictions(from inputBatch: MLBatchProvider, options: MLPredictionOptions) throws -> MLBatchProvider {
        MLArrayBatchProvider(array: try (0..<inputBatch.count).map { try prediction(from: inputBatch.features(at: $0), options: options) })
    }

    override func predictions(fromBatch inputBatch: MLBatchProvider) throws -> MLBatchProvider {
        try predictions(from: inputBatch, options: MLPredictionOptions())
    }

    override func parameterValue(for key: MLParameterKey) throws -> Any {
        if key == .learningRate { return 0.5 }
        return try super.parameterValue(for: key)
    }
}

class StatefulMock: MLModel, @unchecked Sendable {
    var seen: [MLState] = []
    override func prediction(from input: MLFeatureProvider, using state: MLState) throws -> MLFeatureProvider {
        try prediction(from: input, using: state, options: MLPredictionOptions())
    }
    override func prediction(from input: MLFeatureProvider, using state: MLState, options: MLPredictionOptions) throws -> MLFeatureProvider {
        seen.append(state)
        return try MLDictionaryFeatureProvider(dictionary: ["count": seen.count])
    }
}

/// Rows that are created on access.
final class LazyBatch: NSObject, MLBatchProvider {
    let count: Int
    private let make: (Int) -> MLFeatureProvider
    init(count: Int, make: @escaping (Int) -> MLFeatureProvider) {
        self.count = count
        self.make = make
    }
    func features(at index: Int) -> MLFeatureProvider { make(index) }
}

class DoublingBatch: MLArrayBatchProvider, @unchecked Sendable {
    override var count: Int { super.count * 2 }
    override func features(at index: Int) -> MLFeatureProvider { super.features(at: index / 2) }
    override var array: [MLFeatureProvider] { (0..<count).map { features(at: $0) } }
}

class RecordingProvider: MLDictionaryFeatureProvider, @unchecked Sendable {
    var asked: [String] = []
    override func featureValue(for featureName: String) -> MLFeatureValue? {
        asked.append(featureName)
        return super.featureValue(for: featureName)
    }
    override var featureNames: Set<String> { super.featureNames.union(["more"]) }
    override subscript(featureName: String) -> MLFeatureValue? { featureValue(for: featureName) }
}

class FixedValue: MLFeatureValue, @unchecked Sendable {
    override var doubleValue: Double { 42 }
    override var type: MLFeatureType { .double }
}

class QuietOptions: MLPredictionOptions {
    override var outputBackings: [String: Any] {
        get { [:] }
        set {}
    }
}

class CPUConfiguration: MLModelConfiguration, @unchecked Sendable {
    override var computeUnits: MLComputeUnits {
        get { .cpuOnly }
        set {}
    }
}

/// A predictor that accepts any type with predictions.
struct Regressor<Model: Predicting> {
    let model: Model
    func callAsFunction(_ x: [Float]) async throws -> Double {
        let input = try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray(x)])
        let output = try await model.prediction(from: input, options: MLPredictionOptions())
        return output.featureValue(for: "y")?.doubleValue ?? .nan
    }
}
