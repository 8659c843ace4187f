// swift-format-ignore-file
// swiftlint:disable all
//
// DrawnDigits.swift
//
// This file was automatically generated and should not be edited.
//

import CoreML

/// Model Prediction Input Type
@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
class DrawnDigitsInput : MLFeatureProvider {

    /// The digit, white on black as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 32 pixels wide by 32 pixels high
    var image: CVPixelBuffer

    var featureNames: Set<String> { ["image"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "image" {
            return MLFeatureValue(pixelBuffer: self.image)
        }
        return nil
    }

    init(image: CVPixelBuffer) {
        self.image = image
    }

    convenience init(imageWith image: CGImage) throws {
        self.init(image: try MLFeatureValue(cgImage: image, pixelsWide: 32, pixelsHigh: 32, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!)
    }

    convenience init(imageAt image: URL) throws {
        self.init(image: try MLFeatureValue(imageAt: image, pixelsWide: 32, pixelsHigh: 32, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!)
    }

    func setImage(with image: CGImage) throws {
        self.image = try MLFeatureValue(cgImage: image, pixelsWide: 32, pixelsHigh: 32, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!
    }

    func setImage(with image: URL) throws {
        self.image = try MLFeatureValue(imageAt: image, pixelsWide: 32, pixelsHigh: 32, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!
    }
}

/// Model Prediction Output Type
@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
class DrawnDigitsOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : MLFeatureProvider

    /// The most likely digit as string value
    var classLabel: String {
        self.provider.featureValue(for: "classLabel")!.stringValue
    }

    /// The class that classLabel names, where it is one of the model's.
    var classLabelCase: DrawnDigitsLabel? { DrawnDigitsLabel(rawValue: self.classLabel) }

    /// The probability of each digit as dictionary of strings to doubles
    var classLabel_probs: [String : Double] {
        self.provider.featureValue(for: "classLabel_probs")!.dictionaryValue as! [String : Double]
    }

    var featureNames: Set<String> {
        self.provider.featureNames
    }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        self.provider.featureValue(for: featureName)
    }

    init(classLabel: String, classLabel_probs: [String : Double]) {
        self.provider = try! MLDictionaryFeatureProvider(dictionary: ["classLabel" : MLFeatureValue(string: classLabel), "classLabel_probs" : try! MLFeatureValue(dictionary: classLabel_probs as [AnyHashable : NSNumber])])
    }

    init(features: MLFeatureProvider) {
        self.provider = features
    }
}

/// The classes that the model tells apart, in its order.
@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
enum DrawnDigitsLabel : String, CaseIterable, Sendable {
    case zero = "zero"
    case one = "one"
    case two = "two"
    case three = "three"
    case four = "four"
    case five = "five"
    case six = "six"
    case seven = "seven"
    case eight = "eight"
    case nine = "nine"
}

/// Class for model loading and prediction
///
/// Names the handwritten digit on a 32 by 32 grayscale image, white on black.
///
/// Author: The project's tools/make-demo-model.py
///
/// License: Apache-2.0; trained on UCI's Optical Recognition of Handwritten Digits, CC BY 4.0
///
/// Version: 1.0
@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
class DrawnDigits {
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
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<DrawnDigits, Error>) -> Void) {
        self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /// Loads the model that was built into the bundle without blocking.
    class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> DrawnDigits {
        try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /// Loads a compiled model in the background.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<DrawnDigits, Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
            handler(result.map { DrawnDigits(model: $0) })
        }
    }

    /// Loads a compiled model without blocking.
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> DrawnDigits {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return DrawnDigits(model: model)
    }

    /// Predicts.
    func prediction(input: DrawnDigitsInput) throws -> DrawnDigitsOutput {
        try self.prediction(input: input, options: MLPredictionOptions())
    }

    /// Predicts, with options.
    func prediction(input: DrawnDigitsInput, options: MLPredictionOptions) throws -> DrawnDigitsOutput {
        DrawnDigitsOutput(features: try self.model.prediction(from: input, options: options))
    }

    /// Predicts without blocking.
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    func prediction(input: DrawnDigitsInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> DrawnDigitsOutput {
        DrawnDigitsOutput(features: try await self.model.prediction(from: input, options: options))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - image: The digit, white on black as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 32 pixels wide by 32 pixels high
    func prediction(image: CVPixelBuffer) throws -> DrawnDigitsOutput {
        try self.prediction(input: DrawnDigitsInput(image: image))
    }

    /// Predicts many inputs at once; the outputs are in their order.
    func predictions(inputs: [DrawnDigitsInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [DrawnDigitsOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try self.model.predictions(from: batchIn, options: options)
        return (0..<batchOut.count).map { DrawnDigitsOutput(features: batchOut.features(at: $0)) }
    }
}
