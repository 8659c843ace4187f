// swift-format-ignore-file
import CoreML
import Dispatch

// Speech recognition: protocols for a model's outputs, array extensions and sampling.

typealias FloatType = Float16

protocol TensorType {}
extension MLMultiArray: TensorType {}
extension MLTensor: TensorType {}

extension MLModel {
    func asyncPrediction(from input: MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()) async throws -> MLFeatureProvider {
        if #available(macOS 14, iOS 17, watchOS 10, visionOS 1, *) {
            return try await prediction(from: input, options: options)
        } else {
            let predict: (MLFeatureProvider, MLPredictionOptions) throws -> MLFeatureProvider = prediction(from:options:)
            return try predict(input, options)
        }
    }
}

extension MLMultiArray {
    func linearOffset(for index: [NSNumber], strides strideInts: [Int]? = nil) -> Int {
        var linearOffset = 0
        let strideInts = strideInts ?? strides.map { $0.intValue }
        for (dimension, stride) in zip(index, strideInts) { linearOffset += dimension.intValue * stride }
        return linearOffset
    }

    func fillLastDimension(indexes: Range<Int>, with value: FloatType) {
        precondition(shape.count == 3 && shape[0] == 1 && shape[1] == 1, "Must have [1, 1, n] shape")
        withUnsafeMutableBufferPointer(ofType: FloatType.self) { ptr, strides in
            for index in indexes { ptr[index * strides[2]] = value }
        }
    }

    func fill<Value>(indexes: [[NSNumber]], with value: Value) {
        let pointer = UnsafeMutablePointer<Value>(OpaquePointer(dataPointer))
        let strideInts = strides.map { $0.intValue }
        for index in indexes { pointer[linearOffset(for: index, strides: strideInts)] = value }
    }

    convenience init(shape: [NSNumber], dataType: MLMultiArrayDataType, initialValue: Any) throws {
        try self.init(shape: shape, dataType: dataType)
        switch dataType {
        case .double:
            if let value = initialValue as? Double {
                let typedPointer = dataPointer.bindMemory(to: Double.self, capacity: count)
                typedPointer.initialize(repeating: value, count: count)
            }
        case .float32:
            if let value = initialValue as? Float {
                let typedPointer = dataPointer.bindMemory(to: Float.self, capacity: count)
                typedPointer.initialize(repeating: value, count: count)
            }
        case .float16:
            if let value = initialValue as? Float16 {
                let typedPointer = dataPointer.bindMemory(to: Float16.self, capacity: count)
                typedPointer.initialize(repeating: value, count: count)
            }
        case .int32:
            if let value = initialValue as? Int32 {
                let typedPointer = dataPointer.bindMemory(to: Int32.self, capacity: count)
                typedPointer.initialize(repeating: value, count: count)
            }
        default: break
        }
    }

    class func from(_ array: [Int], dims: Int = 1) -> MLMultiArray {
        var shape = Array(repeating: 1, count: dims)
        shape[shape.count - 1] = array.count
        let output = try! MLMultiArray(shape: shape as [NSNumber], dataType: .int32)
        let pointer = UnsafeMutablePointer<Int32>(OpaquePointer(output.dataPointer))
        for (i, item) in array.enumerated() { pointer[i] = Int32(item) }
        return output
    }

    class func toIntArray(_ multiArray: MLMultiArray) -> [Int] {
        var result: [Int] = Array(repeating: 0, count: multiArray.count)
        let pointer = multiArray.dataPointer.assumingMemoryBound(to: Int32.self)
        for i in 0..<multiArray.count { result[i] = Int(pointer[i]) }
        return result
    }
}

extension MLTensor {
    func asIntArray() async -> [Int] { await shapedArray(of: Int32.self).scalars.map { Int($0) } }
    func asFloatArray() async -> [Float] { await cast(to: Float.self).shapedArray(of: Float.self).scalars }

    func asMLMultiArray() async -> MLMultiArray {
        switch scalarType {
        case is Float.Type: return MLMultiArray(await shapedArray(of: Float.self))
        case is Float16.Type: return MLMultiArray(await shapedArray(of: Float16.self))
        case is Int32.Type: return MLMultiArray(await shapedArray(of: Int32.self))
        default: fatalError("Unsupported tensor type")
        }
    }
}

/// Waits for a tensor in a synchronous context.
final class Waiting<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

extension MLTensor {
    func intsNow() -> [Int] {
        let semaphore = DispatchSemaphore(value: 0)
        let found = Waiting<[Int]>([])
        Task(priority: .high) {
            found.value = await self.shapedArray(of: Int32.self).scalars.map { Int($0) }
            semaphore.signal()
        }
        semaphore.wait()
        return found.value
    }
}

protocol EncoderOutput: MLFeatureProvider {
    var embedding: MLMultiArray? { get }
}

final class AnyOutput: EncoderOutput {
    private let provider: MLFeatureProvider
    private let name: String
    var embedding: MLMultiArray? { featureValue(for: name)?.multiArrayValue }
    var featureNames: Set<String> { provider.featureNames }
    func featureValue(for featureName: String) -> MLFeatureValue? { provider.featureValue(for: featureName) }
    init(features: MLFeatureProvider, name: String) {
        provider = features
        self.name = name
    }
}

protocol MLModelLoading {
    mutating func loadModel(at modelPath: URL, computeUnits: MLComputeUnits, prewarmMode: Bool) async throws
    mutating func unloadModel()
    var modelState: Bool { get }
}

protocol Encoding {
    func encode(_ features: TensorType) async throws -> TensorType?
}

class AudioEncoder: Encoding, MLModelLoading {
    var model: MLModel?
    var modelState: Bool { model != nil }

    func loadModel(at modelPath: URL, computeUnits: MLComputeUnits, prewarmMode: Bool = false) async throws {
        let loadedModel = try await Task {
            let modelConfig = MLModelConfiguration()
            modelConfig.computeUnits = computeUnits
            return try await MLModel.load(contentsOf: modelPath, configuration: modelConfig)
        }.value
        model = prewarmMode ? nil : loadedModel
    }

    func unloadModel() { model = nil }

    var outputSize: Int? {
        guard let description = model?.modelDescription.outputDescriptionsByName.first?.value else { return nil }
        guard description.type == .multiArray else { return nil }
        guard let shape = description.multiArrayConstraint?.shape.map({ $0.intValue }) else { return nil }
        return shape.last
    }

    func encode(_ features: TensorType) async throws -> TensorType? {
        guard let array = features as? MLMultiArray, let model,
              let input = model.modelDescription.inputDescriptionsByName.keys.first,
              let output = model.modelDescription.outputDescriptionsByName.keys.first else { return nil }
        try Task.checkCancellation()
        let modelInputs = try MLDictionaryFeatureProvider(dictionary: [input: MLFeatureValue(multiArray: array)])
        let outputs = try await model.asyncPrediction(from: modelInputs, options: MLPredictionOptions())
        return AnyOutput(features: outputs, name: output).embedding
    }
}

struct GreedySampler {
    var temperature: Float
    var topK = 5

    func sampleWithTensor(logits: MLMultiArray) async -> (token: Int, logprob: Float) {
        var logitsTensor = MLTensor(MLShapedArray<FloatType>(logits)).cast(to: Float.self)
        var nextTokenTensor: MLTensor
        var nextLogprobTensor: MLTensor
        if temperature != 0.0 { logitsTensor = logitsTensor / temperature }
        let softmaxScores = logitsTensor.softmax(alongAxis: -1)
        if temperature != 0.0 {
            let (topKProbs, topKIndices) = softmaxScores.topK(topK)
            let rnd = topKProbs.sum() * Float.random(in: 0..<1)
            var accumTopKProbs = topKProbs.cumulativeSum(alongAxis: -1)
            accumTopKProbs += (accumTopKProbs .< rnd) * 100.0
            let topKIndex = accumTopKProbs.argsort()[..., 0]
            nextTokenTensor = topKIndices.gathering(atIndices: topKIndex, alongAxis: topKIndices.rank - 1)
            nextLogprobTensor = topKProbs.gathering(atIndices: topKIndex, alongAxis: topKIndices.rank - 1).log()
        } else {
            nextTokenTensor = logitsTensor.argmax(alongAxis: -1)
            nextLogprobTensor = softmaxScores.gathering(atIndices: nextTokenTensor, alongAxis: -1).log()
        }
        return (token: await nextTokenTensor.asIntArray()[0], logprob: await nextLogprobTensor.asFloatArray()[0])
    }

    func sample(logits: MLMultiArray) -> Int {
        var best = 0
        logits.withUnsafeBufferPointer(ofType: FloatType.self) { ptr in
            for place in ptr.indices where ptr[place] > ptr[best] { best = place }
        }
        return best
    }
}
