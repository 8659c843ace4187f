// swift-format-ignore-file
import CoreML

// Classes as Xcode 10 to 12 generated them, which projects keep next to their models.

/// Model Prediction Output Type
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, *)
class OlderDigitsOutput : MLFeatureProvider {

    /// Source provided by CoreML

    private let provider : MLFeatureProvider

    /// probabilities as dictionary of strings to doubles
    lazy var probabilities: [String : Double] = {
        [unowned self] in return self.provider.featureValue(for: "probabilities")!.dictionaryValue as! [String : Double]
    }()

    /// label as string value
    lazy var label: String = {
        [unowned self] in return self.provider.featureValue(for: "label")!.stringValue
    }()

    var featureNames: Set<String> {
        return self.provider.featureNames
    }
    
    func featureValue(for featureName: String) -> MLFeatureValue? {
        return self.provider.featureValue(for: featureName)
    }

    init(probabilities: [String : Double], label: String) {
        self.provider = try! MLDictionaryFeatureProvider(dictionary: ["probabilities" : MLFeatureValue(dictionary: probabilities as [AnyHashable : NSNumber]), "label" : MLFeatureValue(string: label)])
    }

    init(features: MLFeatureProvider) {
        self.provider = features
    }
}

/// Class for model loading and prediction
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, *)
class OlderDigits {
    let model: MLModel

    /// URL of model assuming it was installed in the same bundle as this class
    class var urlOfModelInThisBundle : URL {
        let bundle = Bundle(for: self)
        return bundle.url(forResource: "Digits", withExtension:"mlmodelc")!
    }

    init(model: MLModel) {
        self.model = model
    }

    @available(*, deprecated, message: "Use init(configuration:) instead and handle errors appropriately.")
    convenience init() {
        try! self.init(contentsOf: type(of:self).urlOfModelInThisBundle)
    }

    convenience init(configuration: MLModelConfiguration) throws {
        try self.init(contentsOf: type(of:self).urlOfModelInThisBundle, configuration: configuration)
    }

    convenience init(contentsOf modelURL: URL) throws {
        try self.init(model: MLModel(contentsOf: modelURL))
    }

    convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {
        try self.init(model: MLModel(contentsOf: modelURL, configuration: configuration))
    }

    @available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, *)
    class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<OlderDigits, Error>) -> Void) {
        return self.load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
    }

    @available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, *)
    class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<OlderDigits, Error>) -> Void) {
        MLModel.__loadContents(of: modelURL, configuration: configuration) { (model, error) in
            if let error = error {
                handler(.failure(error))
            } else if let model = model {
                handler(.success(OlderDigits(model: model)))
            } else {
                fatalError("SPI failure: -[MLModel loadContentsOfURL:configuration::completionHandler:] vends nil for both model and error.")
            }
        }
    }

    func prediction(input: DigitsInput) throws -> OlderDigitsOutput {
        return try self.prediction(input: input, options: MLPredictionOptions())
    }

    func prediction(input: DigitsInput, options: MLPredictionOptions) throws -> OlderDigitsOutput {
        let outFeatures = try model.prediction(from: input, options:options)
        return OlderDigitsOutput(features: outFeatures)
    }

    func predictions(inputs: [DigitsInput], options: MLPredictionOptions = MLPredictionOptions()) throws -> [OlderDigitsOutput] {
        let batchIn = MLArrayBatchProvider(array: inputs)
        let batchOut = try model.predictions(from: batchIn, options: options)
        var results : [OlderDigitsOutput] = []
        results.reserveCapacity(inputs.count)
        for i in 0..<batchOut.count {
            let outProvider = batchOut.features(at: i)
            let result =  OlderDigitsOutput(features: outProvider)
            results.append(result)
        }
        return results
    }
}

/// A model that is loaded on first access and unloaded, as in frameworks with several models.
public final class ManagedModel {
    var modelURL: URL
    var configuration: MLModelConfiguration
    private var loadedModel: MLModel?
    private let queue: DispatchQueue

    public init(modelAt url: URL, configuration: MLModelConfiguration) {
        self.modelURL = url
        self.configuration = configuration
        self.loadedModel = nil
        self.queue = DispatchQueue(label: "managed.\(url)")
    }

    public func unloadResources() { queue.sync { loadedModel = nil } }

    public func perform<R>(_ body: (MLModel) throws -> R) throws -> R {
        return try queue.sync {
            try autoreleasepool {
                if loadedModel == nil { loadedModel = try MLModel(contentsOf: modelURL, configuration: configuration) }
                return try body(loadedModel!)
            }
        }
    }
}

func secondsOf(_ body: () throws -> Void) rethrows -> Double {
    let start = CFAbsoluteTimeGetCurrent()
    try body()
    return CFAbsoluteTimeGetCurrent() - start
}

/// Whether this system's framework has states, as programs for older systems check.
func hasStates() -> Bool {
    #if canImport(CoreML.MLState)
    return true
    #else
    return false
    #endif
}
