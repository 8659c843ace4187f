// swift-format-ignore-file
// swiftlint:disable all
//
// Sums.swift
//
// This file was automatically generated and should not be edited.
//

import CoreML

/// Model Prediction Input Type
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
class SumsInput : MLFeatureProvider {

    /// a as 2 by 3 matrix of floats
    var a: MLMultiArray

    /// b as optional 1 by 3 matrix of floats
    var b: MLMultiArray? = nil

    var featureNames: Set<String> { ["a", "b"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "a" {
            return MLFeatureValue(multiArray: self.a)
        }
        if featureName == "b" {
            return self.b.map { MLFeatureValue(multiArray: $0) }
        }
        return nil
    }

    init(a: MLMultiArray, b: MLMultiArray? = nil) {
        self.a = a
        self.b = b
    }

    convenience init(a: MLShapedArray<Float>, b: MLShapedArray<Float>? = nil) {
        self.init(a: MLMultiArray(a), b: b.map { MLMultiArray($0) })
    }
}

/// Model Prediction Output Type
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
class SumsOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : MLFeatureProvider

    /// y as multidimensional array of floats
    var y: MLMultiArray {
        self.provider.featureValue(for: "y")!.multiArrayValue!
    }

    /// y as multidimensional array of floats
    var yShapedArray: MLShapedArray<Float> {
        MLShapedArray<Float>(self.y)
    }

    /// z as 1 element vector of 16-bit floats
    var z: MLMultiArray {
        self.provider.featureValue(for: "z")!.multiArrayValue!
    }

    #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
    /// z as 1 element vector of 16-bit floats
    var zShapedArray: MLShapedArray<Float16> {
        MLShapedArray<Float16>(self.z)
    }
    #endif

    var featureNames: Set<String> {
        self.provider.featureNames
    }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        self.provider.featureValue(for: featureName)
    }

    init(y: MLMultiArray, z: MLMultiArray) {
        self.provider = try! MLDictionaryFeatureProvider(dictionary: ["y" : MLFeatureValue(multiArray: y), "z" : MLFeatureValue(multiArray: z)])
    }

    init(features: MLFeatureProvider) {
        self.provider = features
    }
}

/// Class for model loading and prediction
///
/// sums of arrays
///
/// Author: nobody
///
/// License: any
///
/// Version: 7
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
class Sums {
    let model: MLModel

    /// URL of the compiled model in the bundle that it was built into.
    class var urlOfModelInThisBundle : URL {
        Bundle(for: self).url(forResource: "sums", withExtension: "mlmodelc")!
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
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Sums, Error>) -> Void) {
        self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /// Loads the model that was built into the bundle without blocking.
    class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Sums {
        try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /// Loads a compiled model in the background.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Sums, Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
            handler(result.map { Sums(model: $0) })
        }
    }

    /// Loads a compiled model without blocking.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Sums {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return Sums(model: model)
    }

    /// Predicts.
    func prediction(input: SumsInput) throws -> SumsOutput {
        try self.prediction(input: input, options: MLPredictionOptions())
    }

    /// Predicts, with options.
    func prediction(input: SumsInput, options: MLPredictionOptions) throws -> SumsOutput {
        SumsOutput(features: try self.model.prediction(from: input, options: options))
    }

    /// Predicts without blocking.
    func prediction(input: SumsInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> SumsOutput {
        SumsOutput(features: try await self.model.prediction(from: input, options: options))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - a: a as 2 by 3 matrix of floats
    ///   - b: b as optional 1 by 3 matrix of floats
    func prediction(a: MLMultiArray, b: MLMultiArray? = nil) throws -> SumsOutput {
        try self.prediction(input: SumsInput(a: a, b: b))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - a: a as 2 by 3 matrix of floats
    ///   - b: b as optional 1 by 3 matrix of floats
    func prediction(a: MLShapedArray<Float>, b: MLShapedArray<Float>? = nil) throws -> SumsOutput {
        try self.prediction(input: SumsInput(a: a, b: b))
    }

    /// Predicts many inputs at once; the outputs are in their order.
    func predictions(inputs: [SumsInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [SumsOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try self.model.predictions(from: batchIn, options: options)
        return (0..<batchOut.count).map { SumsOutput(features: batchOut.features(at: $0)) }
    }
}
