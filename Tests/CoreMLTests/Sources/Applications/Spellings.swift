// swift-format-ignore-file
// Spellings of framework calls in programs. Compiled in both language modes, and never run.
@preconcurrency import CoreML
import class CoreML.MLModel
import struct CoreML.MLTensor
#if canImport(CoreML)
import CoreML
#endif
extension MLComputeUnits: Codable {}
extension MLComputeUnits { public var description: String { switch self { case .cpuOnly: "cpu"; case .cpuAndGPU: "gpu"; case .all: "all"; case .cpuAndNeuralEngine: "ne"; @unknown default: "?" } } }

extension MLShapedArray: Hashable where Scalar: Hashable { public func hash(into h: inout Hasher) { h.combine(scalars) } }

func spellingsOfArrays(_ m: CoreML.MLModel, n: Int, d: Double) throws {
  let c = m.modelDescription.inputDescriptionsByName["x"]!.multiArrayConstraint!
  let s = c.shape as! [Int]
  _ = c.shape.map(Int.init(truncating:)) + s
  _ = c.shape.map { Int(truncating: $0) }
  _ = c.shape.map(\.intValue).reduce(1, *)
  _ = c.shapeConstraint.sizeRangeForDimension.map { $0.rangeValue }
  for case let r as NSRange in c.shapeConstraint.sizeRangeForDimension { _ = r.length }
  let a = try MLMultiArray(shape: [1, n, 3] as [NSNumber], dataType: .float32)
  let b = try MLMultiArray(shape: [1, NSNumber(value: n)], dataType: .double)
  a[[0, n, 1] as [NSNumber]] = d as NSNumber
  a[0] = 1.5
  a[n] = NSNumber(value: d)
  b[[0, 0]] = NSNumber(floatLiteral: 1)
  _ = a[0].floatValue + Float(truncating: a[1])
  let p = UnsafeMutablePointer<Float>(OpaquePointer(a.dataPointer))
  memcpy(p, a.dataPointer, 4)
  let f = a.dataPointer.assumingMemoryBound(to: Float32.self)
  _ = Array(UnsafeBufferPointer(start: f, count: a.count))
  _ = MLMultiArray(concatenating: [a, b], axis: -1, dataType: .float32)
  let probs: [String: Double] = ["a": 1]
  let v = try MLFeatureValue(dictionary: probs as [AnyHashable: NSNumber])
  let v2 = try MLFeatureValue(dictionary: ["a": NSNumber(value: d)])
  let v3 = try MLFeatureValue(dictionary: ["a": d as NSNumber])
  let v4 = try MLFeatureValue(dictionary: probs as [NSObject: NSNumber] as [AnyHashable: NSNumber])
  for (k, x) in v.dictionaryValue.sorted(by: { $0.value.doubleValue > $1.value.doubleValue }).prefix(3) { print(k as! String, x) }
  _ = (v2, v3, v4)
  _ = v.dictionaryValue as! [String: NSNumber]
  let o = MLPredictionOptions()
  o.outputBackings = ["y": a]
  m.prediction(from: try MLDictionaryFeatureProvider(dictionary: ["x": a, "y": 1, "z": "s", "w": d, "q": [1.0, 2.0]])) { out, err in print(out as Any, err as Any) }
  let lbl = (m.modelDescription.classLabels as? [String])?[0] ?? (m.modelDescription.classLabels as! [Int64])[0].description
  print(lbl)
  _ = m.modelDescription.metadata[.creatorDefinedKey] as? [String: String]
  _ = m.modelDescription.metadata[MLModelMetadataKey.versionString] as! String
  for (key, value) in m.modelDescription.metadata { print(key.rawValue, value) }
  let key = MLParameterKey.weights.scoped(to: "l")
  let w = try m.parameterValue(for: key) as? MLMultiArray
  print(w as Any, key.name, key.scope ?? "")
  _ = m.modelDescription.parameterDescriptionsByKey[MLParameterKey.epochs]?.numericConstraint?.enumeratedNumbers?.contains(3)
  _ = try UnsafeMutableBufferPointer<Float32>(a)
  a.withUnsafeMutableBytes { raw, strides in raw.storeBytes(of: 1, toByteOffset: strides[0], as: Float.self) }
  let sum = a.withUnsafeBufferPointer(ofType: Float.self) { $0.reduce(0, +) }
  print(sum)
  let sh: MLShapedArray<Float> = MLShapedArray(a)
  let sh2 = MLShapedArray<Double>(converting: a)
  let sh3 = MLShapedArray<Float>(arrayLiteral: 1, 2)
  _ = sh[0..., 1..<2].scalars
  print(sh, sh2, sh3, sh.startIndex, sh.first!.shape, sh.last as Any)
  let out: MLFeatureProvider = try m.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": sh]))
  guard let logits = out.featureValue(for: "y")?.shapedArrayValue(of: Float.self) else { return }
  let (best, _) = logits.scalars.enumerated().max { $0.element < $1.element }!
  _ = best
  let batch = MLArrayBatchProvider(array: [out, out])
  _ = try m.predictions(from: batch, options: MLPredictionOptions())
  _ = try m.predictions(fromBatch: batch)
  _ = type(of: m).availableComputeDevices
}
func spellingsOfTensors(_ m: MLModel, logits: MLTensor, tokens: [Int]) async throws {
  let t = MLTensor(tokens.map(Int32.init))
  let t2 = MLTensor(shape: [1, tokens.count], scalars: tokens.map { Int32($0) })
  let t3 = MLTensor(shape: [1, tokens.count], scalars: tokens.map { Int32($0) }, scalarType: Int32.self)
  let t4 = MLTensor(0.5), t5 = MLTensor(repeating: 0, shape: [2]), t6 = MLTensor(repeating: 0, shape: [2], scalarType: Int32.self)
  let t7 = MLTensor(shape: [2], scalars: [0.5, 1])
  let t8: MLTensor = [[1, 2], [3, 4]], t9: MLTensor = 3
  let t10 = MLTensor(rangeFrom: 0, to: 10, by: 1, scalarType: Int32.self)
  let t11 = MLTensor(linearSpaceFrom: 0, through: 1, count: 5)
  let t12 = MLTensor(randomNormal: [2, 2], scalarType: Float.self), t13 = MLTensor(randomUniform: [2], in: -1...1, seed: 5, scalarType: Float.self)
  let t14 = MLTensor(zeros: [2], scalarType: Float16.self), t15 = MLTensor(ones: [2], scalarType: Bool.self)
  let t16 = MLTensor([true, false])
  let t18 = MLTensor(stacking: [t4, t4]), t19 = MLTensor(concatenating: [t, t])
  let t20 = MLTensor(rangeFrom: 0, to: 4, by: 1)
  let t21 = MLTensor(bytesNoCopy: UnsafeRawBufferPointer(start: nil, count: 0), shape: [0], scalarType: Float.self, deallocator: .none)
  let t22 = MLTensor(unsafeUninitializedShape: [2], scalarType: Float.self) { p in p.bindMemory(to: Float.self).update(repeating: 1) }
  print(t, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15, t16, t18, t19, t20, t21, t22)
  var l = logits / 0.8
  l = l * 2; l = 2 * l; l = l - 1; l = 1 - l; l = l + 1.5; l += 1; l -= 0.5; l *= 2; l /= 3; l = -l; l = l % 2
  l = l.pow(2); l = l.pow(0.5); l = l.clamped(to: 0...1); l = l.clamped(to: 0...); l = pointwiseMax(l, 0); l = pointwiseMin(1.0, l)
  let m1 = (l .> 0) .& (l .<= 1) .| .!(l .== 2); let m2 = 0 .< l
  l = l.replacing(with: 0, where: m1 .^ m2); l = l.replacing(with: -1e9, where: m1); 
  l = l[0]; l = l[0, 1]; l = l[0..<2, 1...]; l = l[nil, -1]; l = l[..., -1]; l = l[0, ...]; l = l[.newAxis, ...]; l = l[...5]; l = l[nil, nil, ..<3]
  l = l[.range(0..<4, stride: 2), .index(1)]; l = l[..., .newAxis]; l = l[(-3)...]; l = l[(-2)...(-1)]
  let i = tokens[0]; l = l[i, i..<i + 1, nil]; l = l[nil, l.shape[1] - 1, nil]
  l = l.sum(alongAxes: -1, keepRank: true); l = l.sum(alongAxes: [0, 1]); l = l.max(); l = l.mean(alongAxes: 0, 1); l = l.min(alongAxes: -1)
  let a = l.argmax(alongAxis: -1), a2 = l.argmax(alongAxis: -1, keepRank: true), a3 = l.argmin()
  let (v, ix) = l.topK(5); let tk = l.topK(3); _ = tk.values; _ = tk.indices
  l = l.padded(forSizes: [(0, 0), (0, 3)], with: 0); l = l.padded(forSizes: [(before: 0, after: 1)], with: 1.5); l = l.padded(forSizes: [(0, 1)], mode: .reflection)
  l = l.resized(to: (newHeight: 2, newWidth: 3), method: .nearestNeighbor)
  l = l.split(count: 2, alongAxis: -1)[0]; l = l.split(sizes: [1, 2])[0]; l = l.unstacked()[0]; l = l.tiled(multiples: [2]); l = l.reversed(alongAxes: 0)
  l = l.cast(to: Float16.self).cast(like: v); l = l.gathering(atIndices: ix, alongAxis: -1); l = l.gathering(atIndices: a); l = l.expandingShape(at: 0, 1); l = l.squeezingShape(at: 0)
  l = l.transposed(permutation: 0, 2, 1).transposed().matmul(l); l = l.bandPart(lowerBandCount: -1, upperBandCount: 0)
  let next = Int(await a.shapedArray(of: Int32.self).scalars[0]); let n2 = await a2.shapedArray(of: Int32.self)[scalarAt: 0]; let n3 = await a3.shapedArray(of: Int32.self).scalar!
  print(next, n2, n3, await l.shapedArray(of: Float.self))
  let st = m.makeState()
  let last = l
  async let o = m.prediction(from: ["x": last], using: st)
  let out = try await o["y"]!
  await withMLTensorComputePolicy(.cpuOnly) { _ = await out.softmax().shapedArray(of: Float.self) }
  let z = try await withMLTensorComputePolicy(MLComputePolicy(.cpuAndNeuralEngine)) { () async throws -> MLTensor in try await m.prediction(from: ["x": out])["y"]! }
  print(z.scalarType == Float.self, z.rank, z.shape, z.scalarCount, z.isScalar, z.description)
  let same: Bool = await (z .== z).all().shapedArray(of: Float.self).scalar == 1
  st.withMultiArray(for: "k") { arr in arr[0] = 1 }
  let cnt: Int = st.withMultiArray(for: "k") { $0.count }
  print(same, cnt)
}
