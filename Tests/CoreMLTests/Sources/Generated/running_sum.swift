// swift-format-ignore-file
// swiftlint:disable all
//
// running_sum.swift
//
// This file was automatically generated and should not be edited.
//

import CoreML

/// Model Prediction Input Type
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
class running_sumInput : MLFeatureProvider {

    /// x as 4 element vector of floats
    var x: MLMultiArray

    var featureNames: Set<String> { ["x"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "x" {
            return MLFeatureValue(multiArray: self.x)
        }
        return nil
    }

    init(x: MLMultiArray) {
        self.x = x
    }

    convenience init(x: MLShapedArray<Float>) {
        self.init(x: MLMultiArray(x))
    }
}

/// Model Prediction Output Type
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
class running_sumOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : MLFeatureProvider

    /// y as 4 element vector of floats
    var y: MLMultiArray {
        self.provider.featureValue(for: "y")!.multiArrayValue!
    }

    /// y as 4 element vector of floats
    var yShapedArray: MLShapedArray<Float> {
        MLShapedArray<Float>(self.y)
    }

    var featureNames: Set<String> {
        self.provider.featureNames
    }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        self.provider.featureValue(for: featureName)
    }

    init(y: MLMultiArray) {
        self.provider = try! MLDictionaryFeatureProvider(dictionary: ["y" : MLFeatureValue(multiArray: y)])
    }

    init(features: MLFeatureProvider) {
        self.provider = features
    }
}

/// Class for model loading and prediction
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
class running_sum {
    let model: MLModel

    /// URL of the compiled model in the bundle that it was built into.
    class var urlOfModelInThisBundle : URL {
        Bundle(for: self).url(forResource: "running-sum", withExtension: "mlmodelc")!
    }

    /// A model that is loaded already, or one that stands for it in tests.
    init(model: MLModel) {
        self.model = model
    }

    /// The model that was built into the bundle.
    @available(*, deprecated, message: "Use init(configuration:) instead and handle errors appropriately.")
    convenience init() {
        try! self.init(contentsOf: type(of: self).urlOfModelInThisBundle)
    }

    /// The model that was built into the bundle, with a configuration.
    convenience init(configuration: MLModelConfiguration = MLModelConfiguration()) throws {
        try self.init(contentsOf: type(of: self).urlOfModelInThisBundle, configuration: configuration)
    }

    /// A compiled model elsewhere.
    convenience init(contentsOf modelURL: URL) throws {
        try self.init(model: MLModel(contentsOf: modelURL))
    }

    /// A compiled model elsewhere, with a configuration.
    convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {
        try self.init(model: MLModel(contentsOf: modelURL, configuration: configuration))
    }

    /// Loads the model that was built into the bundle in the background.
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<running_sum, Error>) -> Void) {
        self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /// Loads the model that was built into the bundle without blocking.
    class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> running_sum {
        try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /// Loads a compiled model in the background.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<running_sum, Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
            handler(result.map { running_sum(model: $0) })
        }
    }

    /// Loads a compiled model without blocking.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> running_sum {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return running_sum(model: model)
    }

    /// A state at its beginning:
    /// - total as state of 4 element vector of 16-bit floats
    func makeState() -> MLState {
        self.model.makeState()
    }

    /// Predicts with a state, which it changes.
    func prediction(input: running_sumInput, using state: MLState) throws -> running_sumOutput {
        try self.prediction(input: input, using: state, options: MLPredictionOptions())
    }

    /// Predicts with a state, which it changes, with options.
    func prediction(input: running_sumInput, using state: MLState, options: MLPredictionOptions) throws -> running_sumOutput {
        running_sumOutput(features: try self.model.prediction(from: input, using: state, options: options))
    }

    /// Predicts with a state, which it changes without blocking.
    func prediction(input: running_sumInput, using state: MLState, options: MLPredictionOptions = MLPredictionOptions()) async throws -> running_sumOutput {
        running_sumOutput(features: try await self.model.prediction(from: input, using: state, options: options))
    }

    /// Predicts.
    func prediction(input: running_sumInput) throws -> running_sumOutput {
        try self.prediction(input: input, options: MLPredictionOptions())
    }

    /// Predicts, with options.
    func prediction(input: running_sumInput, options: MLPredictionOptions) throws -> running_sumOutput {
        running_sumOutput(features: try self.model.prediction(from: input, options: options))
    }

    /// Predicts without blocking.
    func prediction(input: running_sumInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> running_sumOutput {
        running_sumOutput(features: try await self.model.prediction(from: input, options: options))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - x: x as 4 element vector of floats
    func prediction(x: MLMultiArray) throws -> running_sumOutput {
        try self.prediction(input: running_sumInput(x: x))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - x: x as 4 element vector of floats
    func prediction(x: MLShapedArray<Float>) throws -> running_sumOutput {
        try self.prediction(input: running_sumInput(x: x))
    }

    /// Predicts many inputs at once; the outputs are in their order.
    func predictions(inputs: [running_sumInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [running_sumOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try self.model.predictions(from: batchIn, options: options)
        return (0..<batchOut.count).map { running_sumOutput(features: batchOut.features(at: $0)) }
    }
}
