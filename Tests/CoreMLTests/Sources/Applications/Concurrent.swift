// swift-format-ignore-file
import CoreML

// Predictions from actors and task groups.

@MainActor
final class LabelViewModel {
    private(set) var label = ""
    private(set) var isBusy = false
    private let model: MLModel
    init(model: MLModel) { self.model = model }

    func classify(_ array: MLShapedArray<Double>, named name: String) async {
        isBusy = true
        defer { isBusy = false }
        do {
            let input = try MLDictionaryFeatureProvider(dictionary: [name: MLFeatureValue(shapedArray: array)])
            let output = try await model.prediction(from: input)
            label = output.featureValue(for: model.modelDescription.predictedFeatureName ?? "")?.stringValue ?? "?"
        } catch { label = explain(error) }
    }
}

func predictAll(_ model: MLModel, _ arrays: [MLShapedArray<Double>], input: String, output: String) async throws -> [String] {
    try await withThrowingTaskGroup(of: (Int, MLSendableFeatureValue?).self) { group in
        for (place, array) in arrays.enumerated() {
            group.addTask {
                let features = try MLDictionaryFeatureProvider(dictionary: [input: MLMultiArray(array)])
                let result = try await model.prediction(from: features, options: MLPredictionOptions())
                return (place, result.featureValue(for: output).flatMap { MLSendableFeatureValue($0) })
            }
        }
        var found = [String](repeating: "", count: arrays.count)
        for try await (place, value) in group { found[place] = value?.stringValue ?? "" }
        return found
    }
}
