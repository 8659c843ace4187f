// swift-format-ignore-file
// swiftlint:disable all
//
// Functions.swift
//
// This file was automatically generated and should not be edited.
//

import CoreML

/// Model Prediction Input Type
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
class FunctionsInput : MLFeatureProvider {

    /// x as 3 element vector of floats
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
class FunctionsOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : MLFeatureProvider

    /// y as 3 element vector of floats
    var y: MLMultiArray {
        self.provider.featureValue(for: "y")!.multiArrayValue!
    }

    /// y as 3 element vector of floats
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
class Functions {
    let model: MLModel

    /// URL of the compiled model in the bundle that it was built into.
    class var urlOfModelInThisBundle : URL {
        Bundle(for: self).url(forResource: "functions", withExtension: "mlmodelc")!
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
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Functions, Error>) -> Void) {
        self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /// Loads the model that was built into the bundle without blocking.
    class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Functions {
        try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /// Loads a compiled model in the background.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Functions, Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
            handler(result.map { Functions(model: $0) })
        }
    }

    /// Loads a compiled model without blocking.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Functions {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return Functions(model: model)
    }

    /// Predicts.
    func prediction(input: FunctionsInput) throws -> FunctionsOutput {
        try self.prediction(input: input, options: MLPredictionOptions())
    }

    /// Predicts, with options.
    func prediction(input: FunctionsInput, options: MLPredictionOptions) throws -> FunctionsOutput {
        FunctionsOutput(features: try self.model.prediction(from: input, options: options))
    }

    /// Predicts without blocking.
    func prediction(input: FunctionsInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> FunctionsOutput {
        FunctionsOutput(features: try await self.model.prediction(from: input, options: options))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - x: x as 3 element vector of floats
    func prediction(x: MLMultiArray) throws -> FunctionsOutput {
        try self.prediction(input: FunctionsInput(x: x))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - x: x as 3 element vector of floats
    func prediction(x: MLShapedArray<Float>) throws -> FunctionsOutput {
        try self.prediction(input: FunctionsInput(x: x))
    }

    /// Predicts many inputs at once; the outputs are in their order.
    func predictions(inputs: [FunctionsInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [FunctionsOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try self.model.predictions(from: batchIn, options: options)
        return (0..<batchOut.count).map { FunctionsOutput(features: batchOut.features(at: $0)) }
    }
}

/// Model Prediction Input Type
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
class Functions_half_lifeInput : MLFeatureProvider {

    /// x as 3 element vector of floats
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
class Functions_half_lifeOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : MLFeatureProvider

    /// y as 3 element vector of floats
    var y: MLMultiArray {
        self.provider.featureValue(for: "y")!.multiArrayValue!
    }

    /// y as 3 element vector of floats
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
class Functions_half_life {
    let model: MLModel

    /// URL of the compiled model in the bundle that it was built into.
    class var urlOfModelInThisBundle : URL {
        Bundle(for: self).url(forResource: "functions", withExtension: "mlmodelc")!
    }

    /// The configuration, with the function that this class is of.
    private class func selecting(_ configuration: MLModelConfiguration) -> MLModelConfiguration {
        let selecting = configuration.copy() as! MLModelConfiguration
        selecting.functionName = "half-life"
        return selecting
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
        try self.init(contentsOf: modelURL, configuration: MLModelConfiguration())
    }

    /// A compiled model elsewhere, with a configuration.
    convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {
        try self.init(model: MLModel(contentsOf: modelURL, configuration: Functions_half_life.selecting(configuration)))
    }

    /// Loads the model that was built into the bundle in the background.
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Functions_half_life, Error>) -> Void) {
        self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /// Loads the model that was built into the bundle without blocking.
    class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Functions_half_life {
        try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /// Loads a compiled model in the background.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Functions_half_life, Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: Functions_half_life.selecting(configuration)) { result in
            handler(result.map { Functions_half_life(model: $0) })
        }
    }

    /// Loads a compiled model without blocking.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Functions_half_life {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: Functions_half_life.selecting(configuration))
        return Functions_half_life(model: model)
    }

    /// Predicts.
    func prediction(input: Functions_half_lifeInput) throws -> Functions_half_lifeOutput {
        try self.prediction(input: input, options: MLPredictionOptions())
    }

    /// Predicts, with options.
    func prediction(input: Functions_half_lifeInput, options: MLPredictionOptions) throws -> Functions_half_lifeOutput {
        Functions_half_lifeOutput(features: try self.model.prediction(from: input, options: options))
    }

    /// Predicts without blocking.
    func prediction(input: Functions_half_lifeInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> Functions_half_lifeOutput {
        Functions_half_lifeOutput(features: try await self.model.prediction(from: input, options: options))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - x: x as 3 element vector of floats
    func prediction(x: MLMultiArray) throws -> Functions_half_lifeOutput {
        try self.prediction(input: Functions_half_lifeInput(x: x))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - x: x as 3 element vector of floats
    func prediction(x: MLShapedArray<Float>) throws -> Functions_half_lifeOutput {
        try self.prediction(input: Functions_half_lifeInput(x: x))
    }

    /// Predicts many inputs at once; the outputs are in their order.
    func predictions(inputs: [Functions_half_lifeInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [Functions_half_lifeOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try self.model.predictions(from: batchIn, options: options)
        return (0..<batchOut.count).map { Functions_half_lifeOutput(features: batchOut.features(at: $0)) }
    }
}
