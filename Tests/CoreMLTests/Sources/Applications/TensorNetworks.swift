// swift-format-ignore-file
import CoreML

// Hand-written networks over tensors.
struct Dense { var w: MLTensor, b: MLTensor
    init(_ i: Int, _ o: Int, seed: UInt64) { w = MLTensor(randomNormal: [i, o], mean: 0, standardDeviation: 0.1, seed: seed, scalarType: Float.self); b = MLTensor(zeros: [o], scalarType: Float.self) }
    func callAsFunction(_ x: MLTensor) -> MLTensor { x.matmul(w) + b } }
struct LayerNorm { func callAsFunction(_ x: MLTensor) -> MLTensor { let m = x.mean(alongAxes: -1, keepRank: true); let v = (x - m).squared().mean(alongAxes: -1, keepRank: true); return (x - m) * (v + 1e-5).rsqrt() } }
struct Block { let qkv: Dense, out: Dense, up: Dense, down: Dense, heads: Int; let norm = LayerNorm()
    init(_ d: Int, heads: Int, seed: UInt64) { qkv = Dense(d, 3 * d, seed: seed); out = Dense(d, d, seed: seed + 1); up = Dense(d, 4 * d, seed: seed + 2); down = Dense(4 * d, d, seed: seed + 3); self.heads = heads }
    func callAsFunction(_ x: MLTensor, mask: MLTensor) -> MLTensor {
        let (t, d) = (x.shape[0], x.shape[1])
        let parts = qkv(norm(x)).split(count: 3, alongAxis: -1).map { $0.reshaped(to: [t, heads, d / heads]).transposed(permutation: [1, 0, 2]) }
        let scores = parts[0].matmul(parts[1].transposed(permutation: [0, 2, 1])) / Float(d / heads).squareRoot() + mask
        let seen = scores.softmax(alongAxis: -1).matmul(parts[2]).transposed(permutation: [1, 0, 2]).reshaped(to: [t, d])
        let y = x + out(seen)
        let h = up(norm(y))
        return y + down(pointwiseMax(h, MLTensor(zeros: h.shape, scalarType: Float.self)))
    } }
func cosine(_ a: MLTensor, _ b: MLTensor) -> MLTensor { (a * b).sum(alongAxes: -1) / (a.squared().sum(alongAxes: -1).squareRoot() * b.squared().sum(alongAxes: -1).squareRoot()) }
func kMeans(_ x: MLTensor, k: Int, rounds: Int) async -> [Int32] {
    var centres = x[0..<k]
    var labels = MLTensor(zeros: [x.shape[0]], scalarType: Int32.self)
    for _ in 0..<rounds {
        let d = (x.expandingShape(at: 1) - centres.expandingShape(at: 0)).squared().sum(alongAxes: -1)
        labels = d.argmin(alongAxis: 1)
        let mine = (labels.expandingShape(at: 1) .== MLTensor(rangeFrom: Int32(0), to: Int32(k), by: 1)).cast(to: Float.self)
        centres = mine.transposed().matmul(x) / pointwiseMax(mine.sum(alongAxes: 0).expandingShape(at: 1), MLTensor(repeating: Float(1), shape: [k, 1]))
    }
    return await labels.shapedArray(of: Int32.self).scalars
}
enum TensorNetworks {
    static func run() async throws -> [String] {
        var wrong: [String] = []
        func check(_ b: Bool, _ s: String) { if !b { wrong.append(s) } }
        let x = MLTensor(randomUniform: [5, 8], in: -1...1, seed: 3, scalarType: Float.self)
        let mask = (1 - MLTensor(ones: [5, 5], scalarType: Float.self).bandPart(lowerBandCount: -1, upperBandCount: 0)) * -1e9
        let block = Block(8, heads: 2, seed: 11)
        let whole = await block(x, mask: mask).shapedArray(of: Float.self)
        let part = await block(x[0..<3], mask: mask[0..<3, 0..<3]).shapedArray(of: Float.self)
        let difference = zip(whole[0..<3].scalars, part.scalars).map { abs($0 - $1) }.max()!
        check(whole.shape == [5, 8] && difference < 1e-4, "causal \(difference)")
        let c = await cosine(x, x).shapedArray(of: Float.self).scalars
        check(c.allSatisfy { abs($0 - 1) < 1e-5 }, "cosine \(c)")
        let points = MLTensor(shape: [4, 1], scalars: [Float(0), 10, 0.5, 9], scalarType: Float.self)
        let l = await kMeans(points, k: 2, rounds: 3)
        check(l == [0, 1, 0, 1], "\(l)")
        let policies: [MLComputePolicy] = [.cpuOnly, .cpuAndGPU, MLComputePolicy(.all)]
        for p in policies { let s = await withMLTensorComputePolicy(p) { await (x * 2).sum().shapedArray(of: Float.self).scalar! }; check(s.isFinite, "\(p)") }
        async let one = x.max().shapedArray(of: Float.self)
        async let two = x.min().shapedArray(of: Float.self)
        let (hi, lo) = await (one.scalar!, two.scalar!)
        check(hi > lo, "extremes")
        let i8 = MLTensor(shape: [3], scalars: [Int8(1), 2, -3], scalarType: Int8.self)
        check(await i8.abs().shapedArray(of: Int8.self).scalars == [1, 2, 3] , "int8")
        let u = MLTensor([true, false, true])
        check(await u.any().cast(to: Int32.self).shapedArray(of: Int32.self).scalars == [1], "bool")
        return wrong
    }
}
