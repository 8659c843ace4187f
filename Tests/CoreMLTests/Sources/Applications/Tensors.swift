// swift-format-ignore-file
import CoreML

// Code that uses tensors around models: hand-written layers, samplers, search, and the examples of the documentation.

/// Parts of a transformer.
enum Layers {
    static func attention(_ q: MLTensor, _ k: MLTensor, _ v: MLTensor, mask: MLTensor? = nil) -> MLTensor {
        let scale = 1 / Float(q.shape.last!).squareRoot()
        var scores = q.matmul(k.transposed(permutation: 0, 1, 3, 2)) * scale
        if let mask { scores += mask }
        return scores.softmax(alongAxis: -1).matmul(v)
    }

    static func rope(_ x: MLTensor, base: Float = 10000) -> MLTensor {
        let (t, d) = (x.shape[x.rank - 2], x.shape[x.rank - 1])
        let inverse = (MLTensor(rangeFrom: 0, to: Float(d), by: 2) / Float(d) * -Foundation.log(base)).exp()
        let angles = MLTensor(rangeFrom: 0, to: Float(t), by: 1).expandingShape(at: 1) * inverse
        let cos = MLTensor(concatenating: [angles.cos(), angles.cos()], alongAxis: -1)
        let sin = MLTensor(concatenating: [angles.sin(), angles.sin()], alongAxis: -1)
        let halves = x.split(count: 2, alongAxis: -1)
        return x * cos + MLTensor(concatenating: [-halves[1], halves[0]], alongAxis: -1) * sin
    }

    static func rmsNorm(_ x: MLTensor) -> MLTensor {
        x * (x.squared().mean(alongAxes: -1, keepRank: true) + 1e-5).rsqrt()
    }

    static func gelu(_ x: MLTensor) -> MLTensor {
        0.5 * x * (1 + ((2 / Float.pi).squareRoot() * (x + 0.044715 * x.pow(3))).tanh())
    }

    static func maxPool(_ x: MLTensor) -> MLTensor {
        let (n, c, h, w) = (x.shape[0], x.shape[1], x.shape[2], x.shape[3])
        return x.reshaped(to: [n, c, h / 2, 2, w / 2, 2]).max(alongAxes: 3, 5)
    }

    static func causalMask(_ count: Int) -> MLTensor {
        MLTensor(ones: [count, count], scalarType: Float.self).bandPart(lowerBandCount: -1, upperBandCount: 0)
    }
}

/// Tokens that survive every filter, as samplers mark them.
func keptTokens(_ scores: MLTensor, minP: Float, least: Int) -> MLTensor {
    let shares = scores.softmax(alongAxis: -1)
    let removed = shares .< shares.max(alongAxes: [-1], keepRank: true) * minP
    let zeros = MLTensor(repeating: Int32(0), shape: removed.shape, scalarType: Int32.self)
    let ones = MLTensor(repeating: Int32(1), shape: removed.shape, scalarType: Int32.self)
    let marks = zeros.replacing(with: ones, where: removed)
    let best = shares.topK(least).indices
    return marks.replacing(atIndices: best, with: Int32(0), alongAxis: -1) .== zeros
}

/// Picks one token for each batch item by a given random number.
func multinomial(_ scores: MLTensor, random: MLTensor) -> MLTensor {
    let sums = scores.softmax(alongAxis: -1).cumulativeSum(alongAxis: -1)
    return ((sums .< random) * 1000.0 + sums).argmin(alongAxis: -1, keepRank: true)
}

func nearest(_ query: [Float], _ documents: MLTensor, k: Int) async -> [(place: Int, score: Float)] {
    let scores = MLTensor([MLTensor(query)]).matmul(documents.transposed()).flattened()
    let best = scores.topK(k)
    async let values = best.values.shapedArray(of: Float.self)
    async let places = best.indices.shapedArray(of: Int32.self)
    return zip(await places.scalars, await values.scalars).map { (Int($0), $1) }
}

/// Shapes of tensors that are created in every way.
func madeTensors() -> [[Int]] {
    let (mean, deviation): (Float16, Float16) = (0, 0.02)
    let (step, start) = (3, Int32(1))
    let numbers: [Float] = [1, 2, 3]
    let made = [
        MLTensor([1, 2, 3]), MLTensor([[1.0, 0.5], [0.0, 1.0]]), MLTensor([[1, 2], [3, 4]], alongAxis: 1), MLTensor(ContiguousArray(numbers)),
        MLTensor(numbers[0..<2]), MLTensor([true, false]), MLTensor(Float(3)), MLTensor(0.5, scalarType: Float16.self),
        MLTensor(randomNormal: [4], mean: mean, standardDeviation: deviation, seed: 3, scalarType: Float16.self),
        MLTensor(randomUniform: [2, 3], in: 0...9, seed: 4, scalarType: Int32.self), MLTensor(randomUniform: [5], scalarType: Float.self),
        MLTensor(rangeFrom: start, to: 10, by: step), MLTensor(rangeFrom: UInt8(0), to: 4, by: 2, scalarType: UInt8.self),
        MLTensor(linearSpaceFrom: 0, through: 1, count: 11),
        numbers.withUnsafeBytes { MLTensor(bytesNoCopy: $0, shape: [2], scalarType: Float.self, deallocator: .none) },
    ]
    return made.map(\.shape)
}

/// Shapes of parts of a tensor of shape [1, 3, 28, 28].
func partsOfTensors(_ x: MLTensor) -> [[Int]] {
    let more: [any MLTensorRangeExpression] = [0, 1..<2, .newAxis, ...2]
    let parts = [
        x[.fillAll, 0], x[.newAxis, ...], x[.squeezeAxis, ...], x[..., .index(0)], x[..., .range(0..<2)], x[..., .closedRange(0...2)],
        x[..., .partialRangeFrom(1...)], x[..., .partialRangeUpTo(..<3)], x[..., .partialRangeUpTo(...3, stride: 2)], x[0, nil, 3...5],
        x[0, 1, .fillAll], x[more[0], more[1], more[2]], x[nil, more[3]],
    ]
    return parts.map(\.shape)
}

func modesOfTensors() -> [String] {
    let modes: Set<MLTensor.PaddingMode> = [.constant(1), .reflection, .symmetric, .reflection]
    let methods: Set<MLTensor.ResizeMethod> = [.bilinear(), .bilinear(alignCorners: true), .nearestNeighbor]
    let policies: [MLComputePolicy: String] = [.cpuOnly: "one", .init(.all): "all"]
    var dumped = ""
    dump(MLTensor([1.0]), to: &dumped)
    return ["\(modes.count) \(methods.count) \(policies[.cpuOnly] ?? "")", "\(MLTensor.PaddingMode.constant(1)) \(MLTensor.ResizeMethod.bilinear())",
        "\(MLComputePolicy.cpuOnly)", "\(dumped.contains("shape"))"]
}

/// Values of the documentation's examples.
func examplesOfTensors() async -> [[Float]] {
    let x = MLTensor(shape: [2, 3], scalars: [10, 30, 20, 60, 40, 50], scalarType: Float.self)
    let i = MLTensor(shape: [2, 1], scalars: [1, 0], scalarType: Int32.self)
    let updates = MLTensor(shape: [2, 1], scalars: [99, 98], scalarType: Float.self)
    let image = MLTensor(shape: [1, 1, 2, 2], scalars: [1, 0, 0, 1], scalarType: Float.self)
    let whole = MLTensor([1, 2, 3], scalarType: Int32.self)
    let results = [
        x.replacing(atIndices: i, with: Float(99), alongAxis: 1), x.replacing(with: 99, atIndices: i, alongAxis: 1),
        x.replacing(with: updates, atIndices: i, alongAxis: 1), x.cumulativeSum(), x.cumulativeProduct(alongAxis: 1),
        x.tiled(multiples: [2]), MLTensor([1.0, 2]).tiled(multiples: [2, 1]), x.reversed(alongAxes: []), x.squeezingShape(at: 0),
        image.resized(to: (4, 4)), whole.replacing(with: 5.5, where: MLTensor([false, true, false])),
        x.gathering(atIndices: MLTensor([2, 1], scalarType: Int32.self), alongAxis: 1),
    ]
    var numbers: [[Float]] = []
    for result in results { numbers.append(await result.cast(to: Float.self).shapedArray(of: Float.self).scalars) }
    return numbers
}
