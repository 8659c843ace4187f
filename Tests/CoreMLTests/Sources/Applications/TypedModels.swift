// swift-format-ignore-file
import CoreML

// Typed layers over models: property wrappers, generics, key paths, opaque types.
@propertyWrapper struct Feature<Value> { let name: String; var wrappedValue: Value; var projectedValue: String { name } }
protocol FeatureEncodable: MLFeatureProvider { var encoded: [String: MLFeatureValue] { get } }
extension FeatureEncodable { var featureNames: Set<String> { Set(encoded.keys) }; func featureValue(for featureName: String) -> MLFeatureValue? { encoded[featureName] } }
final class LineInput: FeatureEncodable { @Feature(name: "x", wrappedValue: [0, 0]) var x: [Double]
    init(_ a: Double, _ b: Double) { x = [a, b] }
    var encoded: [String: MLFeatureValue] { [$x: MLFeatureValue(multiArray: try! MLMultiArray(x))] } }
protocol ModelOutput { init(features: any MLFeatureProvider) throws }
struct LineOutput: ModelOutput, Sendable { let y: Double; init(features: any MLFeatureProvider) throws { guard let y = features.featureValue(for: "y")?.multiArrayValue else { throw MLModelError(.featureType) }; self.y = y[0].doubleValue } }
struct TypedModel<Input: MLFeatureProvider, Output: ModelOutput> {
    private let model: MLModel
    init(_ model: MLModel) { self.model = model }
    func callAsFunction(_ input: Input) throws -> Output { try Output(features: model.prediction(from: input)) }
    func later(_ input: sending Input) async throws -> Output where Output: Sendable { try Output(features: try await model.prediction(from: input)) }
    func many(_ inputs: some Sequence<Input>) throws -> [Output] { let b = try model.predictions(fromBatch: MLArrayBatchProvider(array: Array(inputs))); return try (0..<b.count).lazy.map(b.features(at:)).map(Output.init) }
}
extension MLModel { func typed<I, O>(_: I.Type = I.self, _: O.Type = O.self) -> TypedModel<I, O> { TypedModel(self) } }
@globalActor actor ModelActor { static let shared = ModelActor() }
@ModelActor final class Registry { static var loaded: [String: MLModel] = [:]
    static func model(_ url: URL) async throws -> MLModel { if let m = loaded[url.path] { return m }; let m = try await MLModel.load(contentsOf: url); loaded[url.path] = m; return m } }
enum TypedModels {
    static func run() async throws -> [String] {
        var wrong: [String] = []
        let url = try await MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: "interface/line.mlmodel"))
        let model = try await Registry.model(url)
        let again = try await Registry.model(url)
        if model !== again { wrong.append("twice") }
        let line = model.typed(LineInput.self, LineOutput.self)
        let a = try line(LineInput(1, 2)).y
        let b = try await line.later(LineInput(1, 2)).y
        let c = try line.many([LineInput(1, 2), LineInput(0, 0)]).map(\.y)
        if a != b || c[0] != a || c.count != 2 { wrong.append("\(a) \(b) \(c)") }
        let clock = ContinuousClock()
        let time = try await clock.measure { _ = try await model.prediction(from: LineInput(1, 1)) }
        if time < .zero { wrong.append("time") }
        let best = [\MLModelConfiguration.computeUnits: 1].keys.first.map { MLModelConfiguration()[keyPath: $0] }
        if best != .all { wrong.append("key path") }
        return wrong
    }
}
