// swift-format-ignore-file
// swiftlint:disable all
//
// UpdatableDigits.swift
//
// This file was automatically generated and should not be edited.
//

import CoreML

/// Model Prediction Input Type
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class UpdatableDigitsInput : MLFeatureProvider {

    /// image as 1 × 8 × 8 3-dimensional array of doubles
    var image: MLMultiArray

    var featureNames: Set<String> { ["image"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "image" {
            return MLFeatureValue(multiArray: self.image)
        }
        return nil
    }

    init(image: MLMultiArray) {
        self.image = image
    }

    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    convenience init(image: MLShapedArray<Double>) {
        self.init(image: MLMultiArray(image))
    }
}

/// Model Prediction Output Type
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class UpdatableDigitsOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : MLFeatureProvider

    /// probabilities as dictionary of strings to doubles
    var probabilities: [String : Double] {
        self.provider.featureValue(for: "probabilities")!.dictionaryValue as! [String : Double]
    }

    /// label as string value
    var label: String {
        self.provider.featureValue(for: "label")!.stringValue
    }

    var featureNames: Set<String> {
        self.provider.featureNames
    }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        self.provider.featureValue(for: featureName)
    }

    init(probabilities: [String : Double], label: String) {
        self.provider = try! MLDictionaryFeatureProvider(dictionary: ["probabilities" : try! MLFeatureValue(dictionary: probabilities as [AnyHashable : NSNumber]), "label" : MLFeatureValue(string: label)])
    }

    init(features: MLFeatureProvider) {
        self.provider = features
    }
}

/// Model Update Input Type
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class UpdatableDigitsTrainingInput : MLFeatureProvider {

    /// image as 1 × 8 × 8 3-dimensional array of doubles
    var image: MLMultiArray

    /// label as string value
    var label: String

    var featureNames: Set<String> { ["image", "label"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "image" {
            return MLFeatureValue(multiArray: self.image)
        }
        if featureName == "label" {
            return MLFeatureValue(string: self.label)
        }
        return nil
    }

    init(image: MLMultiArray, label: String) {
        self.image = image
        self.label = label
    }

    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    convenience init(image: MLShapedArray<Double>, label: String) {
        self.init(image: MLMultiArray(image), label: label)
    }
}

/// Class for model loading and prediction
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class UpdatableDigits {
    let model: MLModel

    /// URL of the compiled model in the bundle that it was built into.
    class var urlOfModelInThisBundle : URL {
        Bundle(for: self).url(forResource: "Digits", withExtension: "mlmodelc")!
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
    @available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<UpdatableDigits, Error>) -> Void) {
        self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /// Loads the model that was built into the bundle without blocking.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> UpdatableDigits {
        try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /// Loads a compiled model in the background.
    @available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<UpdatableDigits, Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
            handler(result.map { UpdatableDigits(model: $0) })
        }
    }

    /// Loads a compiled model without blocking.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> UpdatableDigits {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return UpdatableDigits(model: model)
    }

    /// Predicts.
    func prediction(input: UpdatableDigitsInput) throws -> UpdatableDigitsOutput {
        try self.prediction(input: input, options: MLPredictionOptions())
    }

    /// Predicts, with options.
    func prediction(input: UpdatableDigitsInput, options: MLPredictionOptions) throws -> UpdatableDigitsOutput {
        UpdatableDigitsOutput(features: try self.model.prediction(from: input, options: options))
    }

    /// Predicts without blocking.
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    func prediction(input: UpdatableDigitsInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> UpdatableDigitsOutput {
        UpdatableDigitsOutput(features: try await self.model.prediction(from: input, options: options))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - image: image as 1 × 8 × 8 3-dimensional array of doubles
    func prediction(image: MLMultiArray) throws -> UpdatableDigitsOutput {
        try self.prediction(input: UpdatableDigitsInput(image: image))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - image: image as 1 × 8 × 8 3-dimensional array of doubles
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    func prediction(image: MLShapedArray<Double>) throws -> UpdatableDigitsOutput {
        try self.prediction(input: UpdatableDigitsInput(image: image))
    }

    /// Predicts many inputs at once; the outputs are in their order.
    func predictions(inputs: [UpdatableDigitsInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [UpdatableDigitsOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try self.model.predictions(from: batchIn, options: options)
        return (0..<batchOut.count).map { UpdatableDigitsOutput(features: batchOut.features(at: $0)) }
    }
}
