import CoreML
import Testing

/// Tensors: each operation compared with numpy, and the effects of lazy evaluation.
@Suite struct TensorTests {
  @Test func everyOperationGivesWhatNumpyGives() async throws {
    let cases = try TensorCase.all()
    #expect(cases.count >= 1000)
    #expect(Set(cases.map(\.operation)) == Set(TensorOperations.all.keys), "an operation has no case")
    for (number, test) in cases.enumerated() {
      let difference = try await test.difference()
      #expect(difference == nil, "case \(number), \(test.operation) of \(test.inputs.map(\.shape)) \(test.arguments)")
    }
  }

  @Test func literalsTakeTheTypeBesideThem() async {
    let half = MLTensor([1, 2] as [Float16])
    #expect((half * 0.5).scalarType == Float16.self && (2 * half + 1).scalarType == Float16.self)
    #expect((MLTensor([1, 2] as [Int32]) * 0.5).scalarType == Float.self)
    #expect(await (half * 0.5).shapedArray(of: Float16.self).scalars == [0.5, 1])
    let matrix: MLTensor = [[1, 2], [3, 4]]
    #expect(matrix.shape == [2, 2] && matrix.scalarType == Int32.self)
    #expect(await matrix.sum(alongAxes: 0).shapedArray(of: Int32.self).scalars == [4, 6])
    let integers = MLTensor([1, 5] as [Int32])
    #expect(await integers.clamped(to: 2...4).shapedArray(of: Int32.self).scalars == [2, 4])
    #expect(await integers.padded(forSizes: [(1, 0)], with: 7).shapedArray(of: Int32.self).scalars == [7, 1, 5])
    #expect(await integers.replacing(with: 0, where: integers .> 3).shapedArray(of: Int32.self).scalars == [1, 0])
    #expect(await MLTensor(shape: [2], scalars: [1, 2]).shapedArray(of: Float.self).scalars == [1, 2])
    #expect(await MLTensor(repeating: 3, shape: [2]).shapedArray(of: Float.self).scalars == [3, 3])
    let flags: MLTensor = true
    #expect(flags.isScalar && flags.scalarType == Bool.self)
  }

  /// As decoders of language models sample a token.
  @Test func aTokenIsSampled() async {
    let scores = MLTensor(shape: [1, 6], scalars: [0.1, 3, 0.2, 5, 0.3, 1] as [Float])
    let adjusted = scores / Float(0.7)
    let (best, places) = adjusted.topK(3)
    let shares = best.softmax(alongAxis: -1)
    let bound = shares.sum() * Float(0)
    var sums = shares.cumulativeSum(alongAxis: -1)
    sums += (sums .< bound) * 100.0
    let place = sums.argsort()[..., 0]
    let token = places.gathering(atIndices: place, alongAxis: places.rank - 1).reshaped(to: [1, 1])
    #expect(await token.shapedArray(of: Int32.self).scalars == [3])
    #expect(await scores.argmax(alongAxis: -1).shapedArray(of: Int32.self).scalars == [3])
    let last = MLTensor(shape: [1, 2, 3], scalars: (0..<6).map(Float.init))[nil, -1, nil]
    #expect(await last.shapedArray(of: Float.self).scalars == [3, 4, 5])
  }

  @Test func whatIsHeldIsComputedOnce() async {
    var sum = MLTensor(zeros: [4], scalarType: Float.self)
    let one = MLTensor(ones: [4], scalarType: Float.self)
    // The intermediate sums are never read. The graph is deeper than the limit for graphs that are kept.
    for _ in 0..<3000 { sum += one }
    #expect(await sum.shapedArray(of: Float.self).scalars == [3000, 3000, 3000, 3000])
    let tail = await (sum * 2).shapedArray(of: Float.self)
    #expect(tail.scalars.first == 6000)
  }

  @Test func tasksMayShareTensors() async {
    let x = MLTensor(rangeFrom: Float(0), to: 64, by: 1).reshaped(to: [8, 8]) / Float(64)
    let product = x.matmul(x).exp().log()
    let sums = await withTaskGroup(of: Float?.self) { group in
      for part in 0..<8 {
        group.addTask { await (product + Float(part)).sum().shapedArray(of: Float.self).scalar }
      }
      return await group.reduce(into: [Float?]()) { $0.append($1) }
    }
    #expect(sums.count == 8 && Set(sums.map { $0 ?? -1 }).count == 8)
  }

  @Test func aCancelledTaskGetsItsNumbers() async {
    let x = MLTensor(ones: [16, 16], scalarType: Float.self)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await x.matmul(x).sum().shapedArray(of: Float.self).scalar
    }
    task.cancel()
    #expect(await task.value == 4096)
  }

  @Test func rangesEndWhereTheirTypeWouldNot() async {
    let bytes = MLTensor(rangeFrom: Int8(100), to: 127, by: 20)
    #expect(await bytes.shapedArray(of: Int8.self).scalars == [100, 120])
    // 2048 + 1 is 2048 in fp16.
    let halves = MLTensor(rangeFrom: Float16(2044), to: 2054, by: 1)
    #expect(halves.shape == [10])
    #expect(await halves.shapedArray(of: Float16.self).scalars.last == 2052)
    #expect(MLTensor(rangeFrom: Float(0), to: 1, by: 0.1).shape == [10])
    #expect(MLTensor(rangeFrom: Int32(3), to: 0, by: -2).shape == [2])
    #expect(MLTensor(rangeFrom: Int32(3), to: 0, by: 2).shape == [0])
  }

  @Test func aPolicyNamesTheDevices() async {
    let x = MLTensor([1, 2, 3] as [Float])
    let onCPU = withMLTensorComputePolicy(.cpuOnly) { x * x }
    let both = await withMLTensorComputePolicy(.cpuAndGPU) {
      await (onCPU + x).shapedArray(of: Float.self).scalars
    }
    #expect(both == [2, 6, 12])
    #expect(MLComputePolicy(.cpuOnly) == .cpuOnly && MLComputePolicy.cpuAndGPU != .cpuOnly)
  }

  @Test func randomNumbersFollowTheirSeeds() async {
    let a = await MLTensor(randomNormal: [4000], mean: 2, standardDeviation: 3, seed: 7).shapedArray(of: Float.self)
    let b = await MLTensor(randomNormal: [4000], mean: 2, standardDeviation: 3, seed: 7).shapedArray(of: Float.self)
    #expect(a == b)
    let mean = a.scalars.reduce(0, +) / 4000
    let spread = a.scalars.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / 4000
    #expect(abs(mean - 2) < 0.2 && abs(spread.squareRoot() - 3) < 0.2)
    let uniform = await MLTensor(randomUniform: [1000], in: -1..<1, seed: 3).shapedArray(of: Float.self).scalars
    #expect(
      uniform.allSatisfy { (-1..<1).contains($0) } && uniform.contains { $0 < -0.5 } && uniform.contains { $0 > 0.5 })
  }

  @Test func memoryIsTakenAsItIs() async {
    let numbers: [Float] = [1, 2, 3, 4]
    let copied = numbers.withUnsafeBytes { MLTensor(shape: [2, 2], data: Data($0), scalarType: Float.self) }
    #expect(await copied.shapedArray(of: Float.self).scalars == numbers)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 64)
    numbers.withUnsafeBytes { memory.copyMemory(from: $0) }
    let shared = MLTensor(
      bytesNoCopy: UnsafeRawBufferPointer(memory), shape: [4], scalarType: Float.self,
      deallocator: .custom { pointer, _ in pointer.deallocate() })
    #expect(await (shared + 1).shapedArray(of: Float.self).scalars == [2, 3, 4, 5])
    let nothing = MLTensor(
      bytesNoCopy: UnsafeRawBufferPointer(start: nil, count: 0), shape: [0, 3], scalarType: Float.self,
      deallocator: .none)
    #expect(await nothing.sum(alongAxes: 0).shapedArray(of: Float.self).scalars == [0, 0, 0])
    let made = MLTensor(unsafeUninitializedShape: [3], scalarType: Int32.self) { bytes in
      for place in 0..<3 { bytes.storeBytes(of: Int32(place), toByteOffset: place * 4, as: Int32.self) }
    }
    #expect(await made.shapedArray(of: Int32.self).scalars == [0, 1, 2])
    let shaped = MLShapedArray<Float>(scalars: [1, 2, 3, 4, 5, 6], shape: [2, 3])
    #expect(await MLTensor(shaped.transposed()).shapedArray(of: Float.self) == shaped.transposed())
  }
}
