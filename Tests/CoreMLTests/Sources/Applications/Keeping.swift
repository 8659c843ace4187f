// swift-format-ignore-file
import CoreML

// Models that are compiled, stored and loaded; their archives; and error messages.

actor ModelStore {
    enum Problem: Error { case missing(String) }
    private var models: [String: MLModel] = [:]
    private var loading: [String: Task<MLModel, Error>] = [:]
    private let folder: URL

    init(folder: URL) { self.folder = folder }

    func model(named name: String, configuration: MLModelConfiguration = .init()) async throws -> MLModel {
        if let model = models[name] { return model }
        if let task = loading[name] { return try await task.value }
        let url = folder.appendingPathComponent(name).appendingPathExtension("mlmodelc")
        let units = configuration.computeUnits
        let task = Task {
            let configuration = MLModelConfiguration()
            configuration.computeUnits = units
            return try await MLModel.load(contentsOf: url, configuration: configuration)
        }
        loading[name] = task
        defer { loading[name] = nil }
        let model = try await task.value
        models[name] = model
        return model
    }

    func install(_ source: URL) async throws -> URL {
        let compiled = try await MLModel.compileModel(at: source)
        let target = folder.appendingPathComponent(compiled.lastPathComponent)
        if FileManager.default.fileExists(atPath: target.path) {
            _ = try FileManager.default.replaceItemAt(target, withItemAt: compiled)
        } else {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: compiled, to: target)
        }
        return target
    }
}

func loadLater(_ url: URL) async throws -> MLModel {
    try await withCheckedThrowingContinuation { continuation in
        MLModel.load(contentsOf: url) { result in
            switch result {
            case .success(let model): continuation.resume(returning: model)
            case .failure(let error): continuation.resume(throwing: error)
            }
        }
    }
}

func configured(_ change: (MLModelConfiguration) -> Void) -> MLModelConfiguration {
    let configuration = MLModelConfiguration()
    configuration.allowLowPrecisionAccumulationOnGPU = true
    configuration.optimizationHints.reshapeFrequency = .infrequent
    configuration.optimizationHints.specializationStrategy = .fastPrediction
    change(configuration)
    return configuration
}

func assets(_ specification: Data, _ weights: Data?) async throws -> MLModel {
    let asset: MLModelAsset
    if let weights {
        asset = try MLModelAsset(specification: specification, blobMapping: [URL(string: "@model_path/weights/weight.bin")!: weights])
    } else {
        asset = try MLModelAsset(specification: specification)
    }
    let names = try await asset.functionNames
    let configuration = MLModelConfiguration()
    if let first = names.first { configuration.functionName = first }
    _ = try await asset.modelDescription
    return try await MLModel.load(asset: asset, configuration: configuration)
}

func archived(_ object: NSObject & NSSecureCoding) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
}

final class Snapshot: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let value: MLFeatureValue
    let configuration: MLModelConfiguration
    let input: MLFeatureDescription
    let constraint: MLMultiArrayConstraint?

    init(value: MLFeatureValue, configuration: MLModelConfiguration, input: MLFeatureDescription) {
        self.value = value
        self.configuration = configuration
        self.input = input
        constraint = input.multiArrayConstraint
    }

    func encode(with coder: NSCoder) {
        coder.encode(value, forKey: "value")
        coder.encode(configuration, forKey: "configuration")
        coder.encode(input, forKey: "input")
        coder.encode(constraint, forKey: "constraint")
    }

    required init?(coder: NSCoder) {
        guard let value = coder.decodeObject(of: MLFeatureValue.self, forKey: "value"),
            let configuration = coder.decodeObject(of: MLModelConfiguration.self, forKey: "configuration"),
            let input = coder.decodeObject(of: MLFeatureDescription.self, forKey: "input")
        else { return nil }
        (self.value, self.configuration, self.input) = (value, configuration, input)
        constraint = coder.decodeObject(of: MLMultiArrayConstraint.self, forKey: "constraint")
    }
}

func explain(_ error: Error) -> String {
    switch error {
    case MLModelError.io: return "io"
    case let error as MLModelError where error.code == .parameters: return "parameters"
    case let error as MLModelError:
        switch error.code {
        case .generic: return "generic"
        case .featureType: return "featureType"
        case .customLayer, .customModel: return "custom"
        case .update: return "update"
        case .modelDecryption, .modelDecryptionKeyFetch: return "encrypted"
        case .modelCollection: return "collection"
        case .predictionCancelled: return "cancelled"
        default: return "another"
        }
    case is CancellationError: return "task"
    default: break
    }
    let error = error as NSError
    return error.domain == MLModelErrorDomain ? "\(error.code)" : error.localizedDescription
}

func code(of error: Error) -> Int? {
    let error = error as NSError
    guard error.domain == MLModelErrorDomain, let code = MLModelError.Code(rawValue: error.code) else { return nil }
    return code.rawValue
}
