// swift-format-ignore-file
// swiftlint:disable all
//
// Kinds.swift
//
// This file was automatically generated and should not be edited.
//

import CoreML

/// Model Prediction Input Type
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class KindsInput : MLFeatureProvider {

    /// integer as integer value
    var integer: Int64

    /// number as double value
    var number: Double

    /// text as string value
    var text: String

    /// words as dictionary of strings to doubles
    var words: [String : Double]

    /// numbers as dictionary of 64-bit integers to doubles
    var numbers: [Int64 : Double]

    /// texts as sequence of strings
    var texts: MLSequence

    /// integers as sequence of 64-bit integers
    var integers: MLSequence

    /// colour as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var colour: CVPixelBuffer

    /// gray as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 3 pixels wide by 2 pixels high
    var gray: CVPixelBuffer

    /// gray16 as grayscale (kCVPixelFormatType_OneComponent16Half) image buffer, 3 pixels wide by 2 pixels high
    var gray16: CVPixelBuffer

    var featureNames: Set<String> { ["integer", "number", "text", "words", "numbers", "texts", "integers", "colour", "gray", "gray16"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "integer" {
            return MLFeatureValue(int64: self.integer)
        }
        if featureName == "number" {
            return MLFeatureValue(double: self.number)
        }
        if featureName == "text" {
            return MLFeatureValue(string: self.text)
        }
        if featureName == "words" {
            return try! MLFeatureValue(dictionary: self.words as [AnyHashable : NSNumber])
        }
        if featureName == "numbers" {
            return try! MLFeatureValue(dictionary: self.numbers as [AnyHashable : NSNumber])
        }
        if featureName == "texts" {
            return MLFeatureValue(sequence: self.texts)
        }
        if featureName == "integers" {
            return MLFeatureValue(sequence: self.integers)
        }
        if featureName == "colour" {
            return MLFeatureValue(pixelBuffer: self.colour)
        }
        if featureName == "gray" {
            return MLFeatureValue(pixelBuffer: self.gray)
        }
        if featureName == "gray16" {
            return MLFeatureValue(pixelBuffer: self.gray16)
        }
        return nil
    }

    init(integer: Int64, number: Double, text: String, words: [String : Double], numbers: [Int64 : Double], texts: MLSequence, integers: MLSequence, colour: CVPixelBuffer, gray: CVPixelBuffer, gray16: CVPixelBuffer) {
        self.integer = integer
        self.number = number
        self.text = text
        self.words = words
        self.numbers = numbers
        self.texts = texts
        self.integers = integers
        self.colour = colour
        self.gray = gray
        self.gray16 = gray16
    }

    convenience init(integer: Int64, number: Double, text: String, words: [String : Double], numbers: [Int64 : Double], texts: MLSequence, integers: MLSequence, colourWith colour: CGImage, grayWith gray: CGImage, gray16With gray16: CGImage) throws {
        self.init(integer: integer, number: number, text: text, words: words, numbers: numbers, texts: texts, integers: integers, colour: try MLFeatureValue(cgImage: colour, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, gray: try MLFeatureValue(cgImage: gray, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!, gray16: try MLFeatureValue(cgImage: gray16, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent16Half, options: nil).imageBufferValue!)
    }

    convenience init(integer: Int64, number: Double, text: String, words: [String : Double], numbers: [Int64 : Double], texts: MLSequence, integers: MLSequence, colourAt colour: URL, grayAt gray: URL, gray16At gray16: URL) throws {
        self.init(integer: integer, number: number, text: text, words: words, numbers: numbers, texts: texts, integers: integers, colour: try MLFeatureValue(imageAt: colour, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!, gray: try MLFeatureValue(imageAt: gray, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!, gray16: try MLFeatureValue(imageAt: gray16, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent16Half, options: nil).imageBufferValue!)
    }

    func setColour(with colour: CGImage) throws {
        self.colour = try MLFeatureValue(cgImage: colour, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func setColour(with colour: URL) throws {
        self.colour = try MLFeatureValue(imageAt: colour, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32ARGB, options: nil).imageBufferValue!
    }

    func setGray(with gray: CGImage) throws {
        self.gray = try MLFeatureValue(cgImage: gray, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!
    }

    func setGray(with gray: URL) throws {
        self.gray = try MLFeatureValue(imageAt: gray, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent8, options: nil).imageBufferValue!
    }

    func setGray16(with gray16: CGImage) throws {
        self.gray16 = try MLFeatureValue(cgImage: gray16, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent16Half, options: nil).imageBufferValue!
    }

    func setGray16(with gray16: URL) throws {
        self.gray16 = try MLFeatureValue(imageAt: gray16, pixelsWide: 3, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent16Half, options: nil).imageBufferValue!
    }
}

/// Model Prediction Output Type
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class KindsOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : MLFeatureProvider

    /// integer as integer value
    var integer: Int64 {
        self.provider.featureValue(for: "integer")!.int64Value
    }

    /// number as double value
    var number: Double {
        self.provider.featureValue(for: "number")!.doubleValue
    }

    /// text as string value
    var text: String {
        self.provider.featureValue(for: "text")!.stringValue
    }

    /// words as dictionary of strings to doubles
    var words: [String : Double] {
        self.provider.featureValue(for: "words")!.dictionaryValue as! [String : Double]
    }

    /// numbers as dictionary of 64-bit integers to doubles
    var numbers: [Int64 : Double] {
        self.provider.featureValue(for: "numbers")!.dictionaryValue as! [Int64 : Double]
    }

    /// texts as sequence of strings
    var texts: MLSequence {
        self.provider.featureValue(for: "texts")!.sequenceValue!
    }

    /// integers as sequence of 64-bit integers
    var integers: MLSequence {
        self.provider.featureValue(for: "integers")!.sequenceValue!
    }

    /// colour as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    var colour: CVPixelBuffer {
        self.provider.featureValue(for: "colour")!.imageBufferValue!
    }

    /// gray as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 3 pixels wide by 2 pixels high
    var gray: CVPixelBuffer {
        self.provider.featureValue(for: "gray")!.imageBufferValue!
    }

    /// gray16 as grayscale (kCVPixelFormatType_OneComponent16Half) image buffer, 3 pixels wide by 2 pixels high
    var gray16: CVPixelBuffer {
        self.provider.featureValue(for: "gray16")!.imageBufferValue!
    }

    var featureNames: Set<String> {
        self.provider.featureNames
    }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        self.provider.featureValue(for: featureName)
    }

    init(integer: Int64, number: Double, text: String, words: [String : Double], numbers: [Int64 : Double], texts: MLSequence, integers: MLSequence, colour: CVPixelBuffer, gray: CVPixelBuffer, gray16: CVPixelBuffer) {
        self.provider = try! MLDictionaryFeatureProvider(dictionary: ["integer" : MLFeatureValue(int64: integer), "number" : MLFeatureValue(double: number), "text" : MLFeatureValue(string: text), "words" : try! MLFeatureValue(dictionary: words as [AnyHashable : NSNumber]), "numbers" : try! MLFeatureValue(dictionary: numbers as [AnyHashable : NSNumber]), "texts" : MLFeatureValue(sequence: texts), "integers" : MLFeatureValue(sequence: integers), "colour" : MLFeatureValue(pixelBuffer: colour), "gray" : MLFeatureValue(pixelBuffer: gray), "gray16" : MLFeatureValue(pixelBuffer: gray16)])
    }

    init(features: MLFeatureProvider) {
        self.provider = features
    }
}

/// Class for model loading and prediction
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
class Kinds {
    let model: MLModel

    /// URL of the compiled model in the bundle that it was built into.
    class var urlOfModelInThisBundle : URL {
        Bundle(for: self).url(forResource: "kinds", withExtension: "mlmodelc")!
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
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Kinds, Error>) -> Void) {
        self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /// Loads the model that was built into the bundle without blocking.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Kinds {
        try await self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /// Loads a compiled model in the background.
    @available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Kinds, Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
            handler(result.map { Kinds(model: $0) })
        }
    }

    /// Loads a compiled model without blocking.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Kinds {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return Kinds(model: model)
    }

    /// Predicts.
    func prediction(input: KindsInput) throws -> KindsOutput {
        try self.prediction(input: input, options: MLPredictionOptions())
    }

    /// Predicts, with options.
    func prediction(input: KindsInput, options: MLPredictionOptions) throws -> KindsOutput {
        KindsOutput(features: try self.model.prediction(from: input, options: options))
    }

    /// Predicts without blocking.
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    func prediction(input: KindsInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> KindsOutput {
        KindsOutput(features: try await self.model.prediction(from: input, options: options))
    }

    /// Predicts.
    ///
    /// - Parameters:
    ///   - integer: integer as integer value
    ///   - number: number as double value
    ///   - text: text as string value
    ///   - words: words as dictionary of strings to doubles
    ///   - numbers: numbers as dictionary of 64-bit integers to doubles
    ///   - texts: texts as sequence of strings
    ///   - integers: integers as sequence of 64-bit integers
    ///   - colour: colour as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    ///   - gray: gray as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 3 pixels wide by 2 pixels high
    ///   - gray16: gray16 as grayscale (kCVPixelFormatType_OneComponent16Half) image buffer, 3 pixels wide by 2 pixels high
    func prediction(integer: Int64, number: Double, text: String, words: [String : Double], numbers: [Int64 : Double], texts: MLSequence, integers: MLSequence, colour: CVPixelBuffer, gray: CVPixelBuffer, gray16: CVPixelBuffer) throws -> KindsOutput {
        try self.prediction(input: KindsInput(integer: integer, number: number, text: text, words: words, numbers: numbers, texts: texts, integers: integers, colour: colour, gray: gray, gray16: gray16))
    }

    /// Predicts many inputs at once; the outputs are in their order.
    func predictions(inputs: [KindsInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [KindsOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try self.model.predictions(from: batchIn, options: options)
        return (0..<batchOut.count).map { KindsOutput(features: batchOut.features(at: $0)) }
    }
}
