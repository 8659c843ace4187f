// swift-format-ignore-file
//
// Digits.swift
//
// This file was automatically generated and should not be edited.
//

import CoreML

/// Model Prediction Input Type
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
class DigitsInput : MLFeatureProvider {

    /// image as 1 × 8 × 8 3-dimensional array of doubles
    var image: MLMultiArray

    var featureNames: Set<String> { ["image"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "image" {
            return MLFeatureValue(multiArray: image)
        }
        return nil
    }

    init(image: MLMultiArray) {
        self.image = image
    }

    convenience init(image: MLShapedArray<Double>) {
        self.init(image: MLMultiArray(image))
    }

}

/// Model Prediction Output Type
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
class DigitsOutput : MLFeatureProvider {

    /// Source provided by CoreML
    private let provider : MLFeatureProvider

    /// probabilities as dictionary of strings to doubles
    var probabilities: [String : Double] {
        provider.featureValue(for: "probabilities")!.dictionaryValue as! [String : Double]
    }

    /// label as string value
    var label: String {
        provider.featureValue(for: "label")!.stringValue
    }

    var featureNames: Set<String> {
        provider.featureNames
    }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        provider.featureValue(for: featureName)
    }

    init(probabilities: [String : Double], label: String) {
        provider = try! MLDictionaryFeatureProvider(dictionary: ["probabilities" : MLFeatureValue(dictionary: probabilities as [AnyHashable : NSNumber]), "label" : MLFeatureValue(string: label)])
    }

    init(features: MLFeatureProvider) {
        provider = features
    }
}

/// Model Update Input Type
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
class DigitsTrainingInput : MLFeatureProvider {

    /// image as 1 × 8 × 8 3-dimensional array of doubles
    var image: MLMultiArray

    /// label as string value
    var label: String

    var featureNames: Set<String> { ["image", "label"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
        if featureName == "image" {
            return MLFeatureValue(multiArray: image)
        }
        if featureName == "label" {
            return MLFeatureValue(string: label)
        }
        return nil
    }

    init(image: MLMultiArray, label: String) {
        self.image = image
        self.label = label
    }

    convenience init(image: MLShapedArray<Double>, label: String) {
        self.init(image: MLMultiArray(image), label: label)
    }

}

/// Class for model loading and prediction
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
class Digits {
    let model: MLModel

    /// URL of model assuming it was installed in the same bundle as this class
    class var urlOfModelInThisBundle : URL {
        let bundle = Bundle(for: self)
        return bundle.url(forResource: "Digits", withExtension:"mlmodelc")!
    }

    /**
        Construct Digits instance with an existing MLModel object.

        Usually the application does not use this initializer unless it makes a subclass of Digits.
        Such application may want to use `MLModel(contentsOfURL:configuration:)` and `Digits.urlOfModelInThisBundle` to create a MLModel object to pass-in.

        - parameters:
          - model: MLModel object
    */
    init(model: MLModel) {
        self.model = model
    }

    /**
        Construct Digits instance by automatically loading the model from the app's bundle.
    */
    @available(*, deprecated, message: "Use init(configuration:) instead and handle errors appropriately.")
    convenience init() {
        try! self.init(contentsOf: type(of:self).urlOfModelInThisBundle)
    }

    /**
        Construct a model with configuration

        - parameters:
           - configuration: the desired model configuration

        - throws: an NSError object that describes the problem
    */
    convenience init(configuration: MLModelConfiguration = MLModelConfiguration()) throws {
        try self.init(contentsOf: type(of:self).urlOfModelInThisBundle, configuration: configuration)
    }

    /**
        Construct Digits instance with explicit path to mlmodelc file
        - parameters:
           - modelURL: the file url of the model

        - throws: an NSError object that describes the problem
    */
    convenience init(contentsOf modelURL: URL) throws {
        try self.init(model: MLModel(contentsOf: modelURL))
    }

    /**
        Construct a model with URL of the .mlmodelc directory and configuration

        - parameters:
           - modelURL: the file url of the model
           - configuration: the desired model configuration

        - throws: an NSError object that describes the problem
    */
    convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {
        try self.init(model: MLModel(contentsOf: modelURL, configuration: configuration))
    }

    /**
        Construct Digits instance asynchronously with optional configuration.

        Model loading may take time when the model content is not immediately available (e.g. encrypted model). Use this factory method especially when the caller is on the main thread.

        - parameters:
          - configuration: the desired model configuration
          - handler: the completion handler to be called when the model loading completes successfully or unsuccessfully
    */
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Digits, Error>) -> Void) {
        load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    /**
        Construct Digits instance asynchronously with optional configuration.

        Model loading may take time when the model content is not immediately available (e.g. encrypted model). Use this factory method especially when the caller is on the main thread.

        - parameters:
          - configuration: the desired model configuration
    */
    class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Digits {
        try await load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
    }

    /**
        Construct Digits instance asynchronously with URL of the .mlmodelc directory with optional configuration.

        Model loading may take time when the model content is not immediately available (e.g. encrypted model). Use this factory method especially when the caller is on the main thread.

        - parameters:
          - modelURL: the URL to the model
          - configuration: the desired model configuration
          - handler: the completion handler to be called when the model loading completes successfully or unsuccessfully
    */
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<Digits, Error>) -> Void) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
            switch result {
            case .failure(let error):
                handler(.failure(error))
            case .success(let model):
                handler(.success(Digits(model: model)))
            }
        }
    }

    /**
        Construct Digits instance asynchronously with URL of the .mlmodelc directory with optional configuration.

        Model loading may take time when the model content is not immediately available (e.g. encrypted model). Use this factory method especially when the caller is on the main thread.

        - parameters:
          - modelURL: the URL to the model
          - configuration: the desired model configuration
    */
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> Digits {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return Digits(model: model)
    }

    /**
        Make a prediction using the structured interface

        It uses the default function if the model has multiple functions.

        - parameters:
           - input: the input to the prediction as DigitsInput

        - throws: an NSError object that describes the problem

        - returns: the result of the prediction as DigitsOutput
    */
    func prediction(input: DigitsInput) throws -> DigitsOutput {
        try prediction(input: input, options: MLPredictionOptions())
    }

    /**
        Make a prediction using the structured interface

        It uses the default function if the model has multiple functions.

        - parameters:
           - input: the input to the prediction as DigitsInput
           - options: prediction options

        - throws: an NSError object that describes the problem

        - returns: the result of the prediction as DigitsOutput
    */
    func prediction(input: DigitsInput, options: MLPredictionOptions) throws -> DigitsOutput {
        let outFeatures = try model.prediction(from: input, options: options)
        return DigitsOutput(features: outFeatures)
    }

    /**
        Make an asynchronous prediction using the structured interface

        It uses the default function if the model has multiple functions.

        - parameters:
           - input: the input to the prediction as DigitsInput
           - options: prediction options

        - throws: an NSError object that describes the problem

        - returns: the result of the prediction as DigitsOutput
    */
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    func prediction(input: DigitsInput, options: MLPredictionOptions = MLPredictionOptions()) async throws -> DigitsOutput {
        let outFeatures = try await model.prediction(from: input, options: options)
        return DigitsOutput(features: outFeatures)
    }

    /**
        Make a prediction using the convenience interface

        It uses the default function if the model has multiple functions.

        - parameters:
            - image: 1 × 8 × 8 3-dimensional array of doubles

        - throws: an NSError object that describes the problem

        - returns: the result of the prediction as DigitsOutput
    */
    func prediction(image: MLMultiArray) throws -> DigitsOutput {
        let input_ = DigitsInput(image: image)
        return try prediction(input: input_)
    }

    /**
        Make a prediction using the convenience interface

        It uses the default function if the model has multiple functions.

        - parameters:
            - image: 1 × 8 × 8 3-dimensional array of doubles

        - throws: an NSError object that describes the problem

        - returns: the result of the prediction as DigitsOutput
    */
    func prediction(image: MLShapedArray<Double>) throws -> DigitsOutput {
        let input_ = DigitsInput(image: image)
        return try prediction(input: input_)
    }

    /**
        Make a batch prediction using the structured interface

        It uses the default function if the model has multiple functions.

        - parameters:
           - inputs: the inputs to the prediction as [DigitsInput]
           - options: prediction options

        - throws: an NSError object that describes the problem

        - returns: the result of the prediction as [DigitsOutput]
    */
    func predictions(inputs: [DigitsInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [DigitsOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try model.predictions(from: batchIn, options: options)
        var results : [DigitsOutput] = []
        results.reserveCapacity(inputs.count)
        for i in 0..<batchOut.count {
            let outProvider = batchOut.features(at: i)
            let result =  DigitsOutput(features: outProvider)
            results.append(result)
        }
        return results
    }
}
