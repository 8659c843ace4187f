// swift-format-ignore-file
import CoreML

// Text generation by a language model, token by token, with tensors and a state, as packages of language models write
// it.

struct GenerationConfig: Sendable {
    var maxNewTokens = 8
    var doSample = false
    var temperature: Float = 1
    var topK = 0
    var topP: Float = 1
    var minP: Float?
    var repetitionPenalty: Float = 1
    var eosTokenId: Int32?
}

protocol LogitsProcessor {
    func callAsFunction(_ inputIds: MLTensor, _ scores: MLTensor) async -> MLTensor
}

struct TemperatureWarper: LogitsProcessor {
    let temperature: Float
    func callAsFunction(_ inputIds: MLTensor, _ scores: MLTensor) async -> MLTensor { scores / temperature }
}

struct TopKWarper: LogitsProcessor {
    let k: Int
    func callAsFunction(_ inputIds: MLTensor, _ scores: MLTensor) async -> MLTensor {
        let vocabulary = scores.shape[scores.rank - 1]
        let (values, _) = scores.topK(min(k, vocabulary))
        let least = values[..., -1].expandingShape(at: -1)
        return scores.replacing(with: -Float.infinity, where: scores .< least)
    }
}

struct TopPWarper: LogitsProcessor {
    let p: Float
    func callAsFunction(_ inputIds: MLTensor, _ scores: MLTensor) async -> MLTensor {
        let order = scores.argsort(alongAxis: -1, descendingOrder: true)
        let sorted = scores.flattened().gathering(atIndices: order.flattened(), alongAxis: 0)
        let cumulative = sorted.softmax(alongAxis: -1).cumulativeSum(alongAxis: -1)
        // The first token is always kept.
        let kept = (cumulative .<= p).cast(to: Int32.self).sum() + 1
        let rank = MLTensor(rangeFrom: Int32(0), to: Int32(sorted.scalarCount), by: 1)
        let filtered = sorted.replacing(with: -Float.infinity, where: rank .>= kept)
        return MLTensor(zeros: [sorted.scalarCount], scalarType: Float.self)
            .replacing(with: filtered, atIndices: order.flattened(), alongAxis: 0)
            .reshaped(to: scores.shape)
    }
}

struct MinPWarper: LogitsProcessor {
    let p: Float
    func callAsFunction(_ inputIds: MLTensor, _ scores: MLTensor) async -> MLTensor {
        let shares = scores.softmax()
        let limit = shares.max(alongAxes: -1, keepRank: true) * p
        return scores.replacing(with: MLTensor(repeating: -Float.infinity, shape: scores.shape), where: shares .< limit)
    }
}

struct RepetitionPenalty: LogitsProcessor {
    let penalty: Float
    func callAsFunction(_ inputIds: MLTensor, _ scores: MLTensor) async -> MLTensor {
        let row = scores.flattened()
        let seen = inputIds.flattened()
        let old = row.gathering(atIndices: seen, alongAxis: 0)
        let new = (old / penalty).replacing(with: old * penalty, where: old .< 0)
        return row.replacing(atIndices: seen, with: new, alongAxis: 0).reshaped(to: scores.shape)
    }
}

class LanguageModel {
    enum Keys {
        static let inputIds = "inputIds"
        static let logits = "logits"
        static let attentionMask = "attentionMask"
    }

    let model: MLModel
    let minContextLength: Int
    let maxContextLength: Int

    required init(model: MLModel) {
        self.model = model
        (minContextLength, maxContextLength) = Self.contextRange(from: model)
    }

    static func contextRange(from model: MLModel) -> (min: Int, max: Int) {
        let inputs = model.modelDescription.inputDescriptionsByName
        guard let constraint = inputs[Keys.inputIds]?.multiArrayConstraint else { return (0, 0) }
        var (low, high) = (constraint.shape.last?.intValue ?? 1, constraint.shape.last?.intValue ?? 1)
        switch constraint.shapeConstraint.type {
        case .enumerated:
            low = constraint.shapeConstraint.enumeratedShapes.map { $0[1].intValue }.min() ?? low
            high = constraint.shapeConstraint.enumeratedShapes.map { $0[1].intValue }.max() ?? high
        case .range:
            if let sizes = constraint.shapeConstraint.sizeRangeForDimension.last as? NSRange {
                (low, high) = (sizes.lowerBound, sizes.upperBound)
            }
        case .unspecified: break
        @unknown default: break
        }
        return (low, high)
    }

    var isRequiringAttentionMask: Bool { model.modelDescription.inputDescriptionsByName[Keys.attentionMask] != nil }
    var modelName: String? { model.configuration.modelDisplayName }
    var userInfo: [String: String] {
        model.modelDescription.metadata[MLModelMetadataKey.creatorDefinedKey] as? [String: String] ?? [:]
    }

    func resetState() async {}

    func predictNextTokenScores(_ tokens: MLTensor, config: GenerationConfig) async throws -> MLTensor {
        let tokenCount = tokens.shape[1]
        let padding = maxContextLength - tokenCount
        let inputIds = tokens.padded(forSizes: [(0, 0), (0, padding)], with: Int32(0))
        var inputs = [Keys.inputIds: inputIds]
        if isRequiringAttentionMask {
            inputs[Keys.attentionMask] = MLTensor(ones: tokens.shape, scalarType: Int32.self).padded(forSizes: [(0, 0), (0, padding)], with: 0)
        }
        let outputs = try await model.prediction(from: inputs)
        guard let logits = outputs[Keys.logits] else { throw MLModelError(.generic) }
        return logits[nil, tokenCount - 1, nil].expandingShape(at: 0)
    }
}

final class StatefulLanguageModel: LanguageModel {
    private enum Mode { case prefilling, extending }
    private var mode: Mode = .prefilling
    var state: MLState?

    override func resetState() async {
        state = model.makeState()
        mode = .prefilling
    }

    override func predictNextTokenScores(_ tokens: MLTensor, config: GenerationConfig) async throws -> MLTensor {
        assert(tokens.rank == 2)
        guard let state else { fatalError("there is no state") }
        let inputIds =
            switch mode {
            case .prefilling: tokens
            case .extending: tokens[nil, -1].expandingShape(at: 0)
            }
        mode = .extending
        var scores = MLTensor(zeros: [1], scalarType: Float.self)
        // The model takes one token at a time.
        for place in 0..<inputIds.shape[1] {
            let token = inputIds[nil, place..<place + 1]
            let outputs = try await model.prediction(from: [Keys.inputIds: token], using: state)
            assert(outputs.keys.contains(Keys.logits))
            scores = outputs[Keys.logits]!
        }
        return scores.reshaped(to: [1, 1, -1])
    }
}

enum Generator {
    static func selectGreedily(from scores: MLTensor) -> MLTensor {
        scores.argmax(alongAxis: -1).reshaped(to: [1, 1])
    }

    static func selectTopK(from scores: MLTensor, temperature: Float, topK: Int, random: Float = Float.random(in: 0..<1)) -> MLTensor {
        let temperatureAdjustedScores = scores / temperature
        let (topKScores, topKIndices) = temperatureAdjustedScores.topK(topK)
        let topKProbs = topKScores.softmax(alongAxis: -1)
        let rnd = topKProbs.sum() * random
        var accumTopKProbs = topKProbs.cumulativeSum(alongAxis: -1)
        accumTopKProbs += (accumTopKProbs .< rnd) * 100.0
        let topKIndex = accumTopKProbs.argsort()[..., 0]
        let nextTokenTensor = topKIndices.gathering(atIndices: topKIndex, alongAxis: topKIndices.rank - 1)
        return nextTokenTensor.reshaped(to: [1, 1])
    }

    static func generate(
        config: GenerationConfig, tokens: [Int], model: LanguageModel, processors: [any LogitsProcessor] = [],
        random: () -> Float = { Float.random(in: 0..<1) },
        callback: (([Int]) -> Void)? = nil
    ) async throws -> [Int] {
        let startTime = Date()
        _ = startTime
        await model.resetState()
        var outputTokens = MLTensor(tokens.map { Int32($0) }).expandingShape(at: 0)
        let limit = tokens.count + config.maxNewTokens
        while outputTokens.shape[1] < limit {
            var scores = try await model.predictNextTokenScores(outputTokens, config: config).cast(to: Float.self)
            for processor in processors { scores = await processor(outputTokens, scores) }
            let next = config.doSample
                ? selectTopK(from: scores, temperature: config.temperature, topK: config.topK, random: random())
                : selectGreedily(from: scores)
            if let token = await asArray(next).first, let end = config.eosTokenId, token == Int(end) { break }
            outputTokens = MLTensor(concatenating: [outputTokens, next], alongAxis: -1)
            await callback?(asArray(outputTokens))
        }
        return await asArray(outputTokens)
    }

    static func asArray(_ tensor: MLTensor) async -> [Int] {
        await tensor.shapedArray(of: Int32.self).scalars.map { Int($0) }
    }
}

// As in the talks about tensors.
func tensorsOfTheTalk() async -> [Float] {
    let v1 = MLTensor([1.0, 2.0, 3.0, 4.0])
    let v2 = MLTensor([5.0, 6.0, 7.0, 8.0])
    let v3 = v1 + v2
    let mean = v3.mean()
    let centred = v3 - mean
    let mask = centred .> 0
    let x = centred * mask.cast(to: Float.self) * 0.5
    let m1 = v3.reshaped(to: [2, 2])
    let row = m1[0]
    let column = m1[..., 1]
    let product = m1.matmul(m1.transposed())
    let m2 = MLTensor(shape: [2, 2], scalars: [1, 2, 3, 4], scalarType: Float.self)
    let m3 = withMLTensorComputePolicy(.cpuOnly) { m1 + m2 * 2 - 1 }
    let all = MLTensor(concatenating: [x, row, column, product.flattened(), m3.flattened()], alongAxis: 0)
    return await all.shapedArray(of: Float.self).scalars
}
