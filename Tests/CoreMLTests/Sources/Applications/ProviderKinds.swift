// swift-format-ignore-file
import CoreML

// Providers and batches of every kind.
@dynamicMemberLookup
struct FeatureRow { let values: [String: MLFeatureValue]; subscript(dynamicMember name: String) -> MLFeatureValue? { values[name] } }
final class RowProvider: MLFeatureProvider { let row: FeatureRow; init(_ r: FeatureRow) { row = r }
    lazy var featureNames: Set<String> = Set(row.values.keys)
    func featureValue(for featureName: String) -> MLFeatureValue? { row.values[featureName] } }
class KeyedInput: NSObject, MLFeatureProvider {
    enum Feature: String, CaseIterable { case integer, number, text }
    var integer: Int64 = 0, number = 0.0, text = ""
    var featureNames: Set<String> { Set(Feature.allCases.map(\.rawValue)) }
    func featureValue(for featureName: String) -> MLFeatureValue? {
        switch Feature(rawValue: featureName) { case .integer?: MLFeatureValue(int64: integer); case .number?: MLFeatureValue(double: number); case .text?: MLFeatureValue(string: text); case nil: nil }
    }
    override var description: String { "\(integer), \(number), \(text)" }
}
final class MergedProvider: MLFeatureProvider { let parts: [any MLFeatureProvider]; init(_ p: any MLFeatureProvider...) { parts = p }
    var featureNames: Set<String> { parts.reduce(into: []) { $0.formUnion($1.featureNames) } }
    func featureValue(for featureName: String) -> MLFeatureValue? { parts.lazy.compactMap { $0.featureValue(for: featureName) }.first } }
final class CSVBatch: NSObject, MLBatchProvider { let lines: [[Double]]; let names: [String]
    init(_ text: String) { let rows = text.split(separator: "\n").map { $0.split(separator: ",") }; names = rows[0].map(String.init); lines = rows.dropFirst().map { $0.map { Double($0)! } }; super.init() }
    var count: Int { lines.count }
    func features(at index: Int) -> MLFeatureProvider { try! MLDictionaryFeatureProvider(dictionary: Dictionary(uniqueKeysWithValues: zip(names, lines[index].map { $0 as Any }))) } }
extension MLFeatureValue {
    convenience init(tokens: [String]) { self.init(sequence: MLSequence(strings: tokens)) }
    var any: Any? { switch type { case .int64: int64Value; case .double: doubleValue; case .string: stringValue; case .multiArray: multiArrayValue; case .image: imageBufferValue; case .dictionary: dictionaryValue; case .sequence: sequenceValue; default: nil } }
}
enum ProviderKinds {
    static func run() async throws -> [String] {
        var wrong: [String] = []
        func check(_ b: Bool, _ s: String) { if !b { wrong.append(s) } }
        let url = try await MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: "interface/kinds.mlmodel"))
        let model = try MLModel(contentsOf: url, configuration: .init())
        let key = KeyedInput(); key.integer = 7; key.number = 1.5; key.text = "hi"
        func buffer(_ f: OSType) -> CVPixelBuffer { var b: CVPixelBuffer?; CVPixelBufferCreate(kCFAllocatorDefault, 3, 2, f, [kCVPixelBufferMetalCompatibilityKey as String: true] as CFDictionary, &b); return b! }
        let rest = RowProvider(FeatureRow(values: [
            "words": try MLFeatureValue(dictionary: ["a": 0.5]), "numbers": try MLFeatureValue(dictionary: [1: 2.5, 2: 3]), "texts": MLFeatureValue(tokens: ["x", "y"]),
            "integers": MLFeatureValue(sequence: MLSequence(int64s: [1, 2].map { NSNumber(value: $0) })), "colour": MLFeatureValue(pixelBuffer: buffer(kCVPixelFormatType_32BGRA)),
            "gray": MLFeatureValue(pixelBuffer: buffer(kCVPixelFormatType_OneComponent8)), "gray16": MLFeatureValue(pixelBuffer: buffer(kCVPixelFormatType_OneComponent16Half))]))
        check(rest.row.words?.dictionaryValue["a" as NSString] == 0.5 || rest.row.words?.dictionaryValue["a"] == 0.5, "dynamic")
        let merged = MergedProvider(key, rest)
        let out = try await model.prediction(from: merged)
        check(out.featureValue(for: "integer")?.int64Value == 7 && out.featureValue(for: "text")?.stringValue == "hi", "scalars")
        check(out.featureValue(for: "texts")?.sequenceValue?.stringValues == ["x", "y"] && out.featureValue(for: "integers")?.sequenceValue?.int64Values == [1, 2], "sequences")
        check((out.featureValue(for: "numbers")?.dictionaryValue as? [Int64: Double])?[1] == 2.5, "\(String(describing: out.featureValue(for: "numbers")?.dictionaryValue))")
        check(out.featureValue(for: "numbers")?.dictionaryValue[2] == 3, "keys of any integers")
        check((out.featureValue(for: "words")?.dictionaryValue as? [String: Double])?["a"] == 0.5, "words")
        check(out.featureNames.allSatisfy { out.featureValue(for: $0)?.any != nil }, "any")
        let batch = CSVBatch("x,y\n1,2\n3,4")
        let b = try model.modelDescription.inputDescriptionsByName.isEmpty ? nil : MLArrayBatchProvider(dictionary: ["number": [1.0, 2.0], "text": ["a", "b"]])
        check(b?.count == 2 && b?.features(at: 1).featureValue(for: "text")?.stringValue == "b", "columns")
        check(batch.count == 2 && batch.features(at: 1).featureValue(for: "y")?.doubleValue == 4, "csv")
        let outs = try model.predictions(fromBatch: MLArrayBatchProvider(array: [merged, merged]))
        check((0..<outs.count).map { outs.features(at: $0).featureValue(for: "number")!.doubleValue } == [1.5, 1.5], "batch")
        let send: [MLSendableFeatureValue] = [.init(3), .init(2.5), .init("s"), .init(["a", "b"]), .init(["k": 1.5]), .init([1: 2]), .init(Float16(1)), .init(MLShapedArray<Float>(repeating: 0, shape: [2]))]
        check(send.compactMap { MLSendableFeatureValue(MLFeatureValue($0)) }.count == 8 && send[0].integerValue == 3 && send[3].stringArrayValue == ["a", "b"], "sendable")
        let sent = await Task.detached { MLFeatureValue(send[7]).multiArrayValue?.count }.value
        check(sent == 2, "sent")
        check(MLFeatureValue(undefined: .string).isUndefined && MLFeatureValue(int64: 3) == MLFeatureValue(int64: 3) && MLFeatureValue(int64: 3) != MLFeatureValue(double: 3), "equality")
        return wrong
    }
}
