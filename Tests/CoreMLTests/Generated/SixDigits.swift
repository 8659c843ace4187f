// swift-format-ignore-file
// swiftlint:disable all
//
// SixDigits.swift
//
// This file was automatically generated and should not be edited.
//

import CoreML

/// Model Prediction Input Type
@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
public class SixDigitsInput : MLFeatureProvider {

    /// The digit, white on black as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 32 pixels wide by 32 pixels high
    public var image: CVPixelBuffer

    public var featureNames: Set<String> { ["image"] }

    public func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "image" {
            return MLFeatureValue(pixelBuffer: self.image)
        }
        return nil
    }

    public init(image: CVPixelBuffer) {
        self.image = image
    }

    public convenience init(imageWith image: CGImage) throws {
        self.init(image: try MLFeatureValue(cgImage: image, pixelsWide: 32, pixelsHigh: 32, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!)
    }

    public convenience init(imageAt image: URL) throws {
        self.init(image: try MLFeatureValue(imageAt: image, pixelsWide: 32, pixelsHigh: 32, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!)
    }

    public func setImage(with image: CGImage) throws {
        self.image = try MLFeatureValue(cgImage: image, pixelsWide: 32, pixelsHigh: 32, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!
    }

    public func setImage(with image: URL) throws {
        self.image = try MLFeatureValue(imageAt: image, pixelsWide: 32, pixelsHigh: 32, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!
    }
}

/// Model Prediction Output Type
@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
public class SixDigitsOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : any MLFeatureProvider

    /// The most likely digit as string value
    public var classLabel: String {
        self.provider.featureValue(for: "classLabel")!.stringValue
    }

    /// The class that classLabel names, where it is one of the model's.
    public var classLabelCase: SixDigitsLabel? { SixDigitsLabel(rawValue: self.classLabel) }

    /// The probability of each digit as dictionary of strings to doubles
    public var classLabel_probs: [String : Double] {
        self.provider.featureValue(for: "classLabel_probs")!.dictionaryValue as! [String : Double]
    }

    public var featureNames: Set<String> {
        self.provider.featureNames
    }

    public func featureValue(for featureName: String) -> MLFeatureValue? {
        self.provider.featureValue(for: featureName)
    }

    public init(classLabel: String, classLabel_probs: [String : Double]) {
        self.provider = try! MLDictionaryFeatureProvider(dictionary: ["classLabel" : MLFeatureValue(string: classLabel), "classLabel_probs" : try! MLFeatureValue(dictionary: classLabel_probs as [AnyHashable : NSNumber])])
    }

    public init(features: any MLFeatureProvider) {
        self.provider = features
    }
}

/// The classes that the model tells apart, in its order.
@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
public enum SixDigitsLabel : String, CaseIterable, Sendable {
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
public class SixDigits : @unchecked Sendable {
    public let model: MLModel

    /// URL of the compiled model in the bundle that it was built into.
    public class var urlOfModelInThisBundle : URL {
        Bundle(for: self).url(forResource: "Digits", withExtension: "mlmodelc")!
    }

    /// A model that is loaded already, or one that stands for it in tests.
    public init(model: MLModel) {
        self.model = model
    }

    /// The model that was built into the bundle.
    @available(*, deprecated, message: "Use init(configuration:) instead and handle errors appropriately.")
    public convenience init() {
        try! self.init(contentsOf: type(of: self).urlOfModelInThisBundle)
    }

    /// The model that was built into the bundle, with a configuration.
    public convenience init(configuration: MLModelConfiguration = MLModelConfiguration()) throws {
        try self.init(contentsOf: type(of: self).urlOfModelInThisBundle, configuration: configuration)
    }

    /// A compiled model elsewhere.
    public convenience init(contentsOf modelURL: URL) throws {
        try self.init(model: MLModel(contentsOf: modelURL))
    }

    /// A compiled model elsewhere, with a configuration.
    public convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {
        try self.init(model: MLModel(contentsOf: modelURL, configuration: configuration))
    }

    /// Loads the model that was built into the bundle in the background.
    public class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<SixDigits, any Error>) -> Void) {
        self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /// Loads the model that was built into the bundle without blocking.
    public class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> SixDigits {
        try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /// Loads a compiled model in the background.
    public class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<SixDigits, any Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
            handler(result.map { SixDigits(model: $0) })
        }
    }

    /// Loads a compiled model without blocking.
    public class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> SixDigits {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return SixDigits(model: model)
    }

    /// Predicts.
    public func prediction(input: SixDigitsInput) throws -> SixDigitsOutput {
        try self.prediction(input: input, options: MLPredictionOptions())
    }

    /// Predicts, with options.
    public func prediction(input: SixDigitsInput, options: MLPredictionOptions) throws -> SixDigitsOutput {
        SixDigitsOutput(features: try self.model.prediction(from: input, options: options))
    }

    /// Predicts without blocking.
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public func prediction(input: SixDigitsInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> SixDigitsOutput {
        SixDigitsOutput(features: try await self.model.prediction(from: input, options: options))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - image: The digit, white on black as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 32 pixels wide by 32 pixels high
    public func prediction(image: CVPixelBuffer) throws -> SixDigitsOutput {
        try self.prediction(input: SixDigitsInput(image: image))
    }

    /// Predicts many inputs at once; the outputs are in their order.
    public func predictions(inputs: [SixDigitsInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [SixDigitsOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try self.model.predictions(from: batchIn, options: options)
        return (0..<batchOut.count).map { SixDigitsOutput(features: batchOut.features(at: $0)) }
    }
}
