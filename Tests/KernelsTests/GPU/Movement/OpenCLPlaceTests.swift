import MIL
import TestSupport
import Testing

@testable import CoreMLKernels

/// Operations with indices as arguments, and with invalid indices. Kernels refuse indices outside the tensor, and write
/// nothing outside the result.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLPlaceTests {
  private static let wrong: [Int32] = [4, -5, .max, .min, 1 << 30]

  @Test(arguments: CLScatter.Way.allCases) func indicesOutsideOfTheirAxisAreRefused(way: CLScatter.Way) throws {
    for index in Self.wrong {
      for (shape, indices) in [
        (CLScatter.Shape(outer: 2, axes: [4], inner: 3, picks: 2), [1, index]),
        (CLScatter.Shape(outer: 1, axes: [3, 4], inner: 2, picks: 2), [0, 1, 2, index]),
        (CLScatter.Shape(outer: 1, axes: [4], inner: 2, picks: 2, isAlong: true), [0, 1, index, 3]),
      ] {
        let (found, error) = try scatter(shape, indices, by: way)
        #expect(error == .invalidInput, "\(shape) with \(index)")
        #expect(found.allSatisfy { $0.isFinite }, "\(shape) with \(index)")
      }
    }
  }

  @Test(arguments: CLScatter.Way.allCases) func indicesBelowZeroCountFromTheEndUnlessValidated(
    way: CLScatter.Way
  ) throws {
    let shape = CLScatter.Shape(outer: 1, axes: [4], inner: 1, picks: 2)
    let loose = try scatter(shape, [-1, -4], by: way)
    #expect(loose.found == [101, 1, 2, 103])
    #expect(loose.error == nil)
    #expect(try scatter(shape, [-1, -4], isStrict: true, by: way).error == .invalidInput)
  }

  /// The result of `add` by the kernel, on memory that is both data and result, and the error code that `finish`
  /// throws.
  private func scatter(
    _ shape: CLScatter.Shape, _ indices: [Int32], isStrict: Bool = false, by way: CLScatter.Way
  ) throws -> (found: [Float], error: KernelError.Code?) {
    let count = shape.outer * shape.axes.reduce(1, *) * shape.inner
    let launch = try CLScatter(
      OpenCLHarness.context(), shape, .add, of: .float32, indices: CLGather.Indices(isStrict: isStrict), by: way)
    let data = try OpenCLHarness.upload((0..<count).map { Float($0) })
    let updates = try OpenCLHarness.upload((0..<shape.outer * shape.picks * shape.inner).map { Float(100 + $0) })
    let picks = try OpenCLHarness.upload(indices)
    let queue = try OpenCLHarness.context().makeQueue()
    try launch.enqueue(on: queue, data: data, indices: picks, updates: updates, y: data)
    var code: KernelError.Code?
    do { try queue.finish() } catch { code = error.code }
    return (try OpenCLHarness.download(data, as: Float(0), on: queue), code)
  }

  /// The reference implementation's results for values at the limits of their type.
  @Test func whatUpdatesMakeOfExtremesIsTheReferences() throws {
    let (least, most) = (Double(Int32.min), Double(Int32.max))
    for mode in ScatterMode.allCases {
      for (data, updates) in [
        ([most, least, 0, 5, -5, 0], [most, least, 0, 0, 0, 3]),
        ([most, least, 7, -7, 1, 0], [2, most, least, least, 0, 0]),
      ] {
        for indices in [[0, 1, 2, 3, 4, 5], [0, 0, 0, 3, 3, 3], [1, 1, 4, 4, 2, 2]] {
          try expectReference(
            "scatter",
            [
              "data": Tensor(.int32, shape: [6], doubles: data), "indices": Tensor(int32: indices, shape: [6]),
              "updates": Tensor(.int32, shape: [6], doubles: updates), "mode": Value.string(mode.rawValue).tensor,
            ], known: ["mode"])
        }
      }
      try expectReference(
        "scatter",
        [
          "data": Tensor(float32: [.nan, 1, -.infinity, 0], shape: [4]),
          "indices": Tensor(int32: [0, 1, 2, 3], shape: [4]),
          "updates": Tensor(float32: [1, .nan, .infinity, -0.0], shape: [4]),
          "mode": Value.string(mode.rawValue).tensor,
        ], known: ["mode"])
    }
  }

  @Test func boundsOfAnotherSliceThanPlannedAreRefused() throws {
    // x[begin:end], with two elements planned, next to an indexed axis.
    let axes = [
      CLSliceUpdate.Axis(size: 3, step: 1, count: nil, begin: .read(0), end: .open),
      CLSliceUpdate.Axis(size: 5, step: 1, count: 2, begin: .read(1), end: .read(0)),
    ]
    let launch = try CLSliceUpdate(OpenCLHarness.context(), elementSize: 4, axes, begins: 2, ends: 1)
    let update = try OpenCLHarness.upload([Float(-1), -2])
    for (row, begin, end, place) in [
      (0, 0, 2, 0), (2, 3, 5, 13), (-1, -2, 9, 13), (-3, 1, -2, 1), (3, 0, 2, nil), (-4, 0, 2, nil),
      (Int32.max, 0, 2, nil), (Int32.min, 0, 2, nil), (0, 0, 3, nil), (0, 4, 9, nil), (0, 2, 2, nil), (0, 3, 1, nil),
      (0, Int32.min, Int32.max, nil), (1, Int32.max, Int32.max, nil),
    ] as [(Int32, Int32, Int32, Int?)] {
      let y = try OpenCLHarness.upload((0..<15).map { Float($0) })
      let (begins, ends) = (try OpenCLHarness.upload([row, begin]), try OpenCLHarness.upload([end]))
      let queue = try OpenCLHarness.context().makeQueue()
      try launch.enqueue(on: queue, update: update, begin: begins, end: ends, y: y)
      var expected = (0..<15).map { Float($0) }
      if let place {
        (expected[place], expected[place + 1]) = (-1, -2)
        try queue.finish()
      } else {
        let error = #expect(throws: KernelError.self, "\(row), \(begin):\(end)") { try queue.finish() }
        #expect(error?.code == .invalidInput)
      }
      #expect(try OpenCLHarness.download(y, as: Float(0), on: queue) == expected, "\(row), \(begin):\(end)")
    }
  }

  @Test func lengthsBeyondTheirSequenceAreRefused() throws {
    let x = try OpenCLHarness.upload([Float(1), 2, 3, 4, 5, 6])
    let launch = try CLReverseSequence(
      OpenCLHarness.context(), elementSize: 4, lengths: CLGather.Indices(), shape: [2, 3], axis: 1, batchAxis: 0)
    for (lengths, expected) in [
      ([0, 3], [1, 2, 3, 6, 5, 4]), ([2, 1], [2, 1, 3, 4, 5, 6]), ([4, 0], nil), ([0, -1], nil), ([.max, .min], nil),
    ] as [([Int32], [Float]?)] {
      let (places, y) = (try OpenCLHarness.upload(lengths), try OpenCLHarness.upload([Float](repeating: 0, count: 6)))
      let queue = try OpenCLHarness.context().makeQueue()
      try launch.enqueue(on: queue, x: x, lengths: places, y: y)
      if let expected {
        try queue.finish()
        #expect(try OpenCLHarness.download(y, as: Float(0), on: queue) == expected)
      } else {
        #expect(throws: KernelError.self) { try queue.finish() }
      }
    }
  }

  @Test func boxesOfImagesThatThereAreNotAreRefused() throws {
    for image in [2, -1, Int32.max] {
      let inputs: [String: Tensor?] = [
        "x": try Tensor.zeros(.float32, shape: [2, 1, 4, 4]), "boxes": Tensor(float32: [0, 0, 1, 1], shape: [1, 4]),
        "box_indices": Tensor(int32: [Int(image)], shape: [1]), "target_height": Tensor(int32: [2], shape: []),
        "target_width": Tensor(int32: [2], shape: []),
      ]
      let problem = try problem("crop_resize", inputs, known: Set(inputs.keys).subtracting(["x"]), [[1, 1, 2, 2]])
      for row in KernelRegistry.implementations(for: "crop_resize", on: .openCL) {
        #expect(throws: Refusal.self) { try row.match(problem) }
      }
    }
  }

  /// Long rows of a few distinct values, sorted as merged runs. Each position occurs once, in a deterministic order.
  @Test(arguments: [513, 1100]) func longLinesAreInOrder(count: Int) throws {
    var x = OpenCLHarness.numbers(count).map { ($0 * 40).rounded() }
    x[7] = .nan
    x[count - 1] = .nan
    for isAscending in [true, false] {
      try expectReference(
        "argsort", ["x": Tensor(float32: x, shape: [count]), "ascending": Value.bool(isAscending).tensor],
        known: ["ascending"])
    }
  }

  // MARK: kernels and the reference implementation

  private func problem(
    _ operation: String, _ inputs: [String: Tensor?], known: Set<String>, _ shapes: [[Int]]
  ) throws -> KernelProblem {
    let values = try inputs.mapValues { Value.tensor(try #require($0)) }
    let made = Operation(
      operation, inputs: values.mapValues { [.literal($0)] },
      outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    let call = Invocation(
      operation: made, inputTypes: values.mapValues { [$0.type] },
      values: values.reduce(into: [:]) { $0[$1.key] = [known.contains($1.key) ? $1.value : nil] })
    let types = try Operations.definition(of: made).outputTypes(call).compactMap(\.tensor)
    #expect(types.map(\.concreteShape) == shapes)
    return KernelProblem(invocation: call, outputs: types, threads: 1, openCL: try OpenCLHarness.context())
  }

  /// Every kernel that matches the call gives the reference implementation's results, bit for bit except for NaN. At
  /// least one kernel matches.
  private func expectReference(
    _ operation: String, _ inputs: [String: Tensor?], known: Set<String>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let values = try inputs.mapValues { [Value.tensor(try #require($0))] }
    let made = Operation(
      operation, inputs: values.mapValues { $0.map { .literal($0) } },
      outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    let full = Invocation(
      operation: made, inputTypes: values.mapValues { $0.map(\.type) }, values: values.mapValues { $0.map { $0 } })
    let reference = try References.evaluate(full).compactMap(\.tensor)
    let problem = try problem(operation, inputs, known: known, reference.map(\.shape))
    var taken = 0
    for row in KernelRegistry.implementations(for: operation, on: .openCL) {
      guard let candidate = try? row.match(problem) else { continue }
      taken += 1
      let results = try OpenCLRowHarness.run(candidate, problem: problem, inputs: values)
      for (found, wanted) in zip(results, reference) {
        let (a, b) = (try found.doubles(), try wanted.doubles())
        #expect(
          zip(a, b).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }, "\(row.name): \(a), expected \(b)",
          sourceLocation: sourceLocation)
      }
    }
    #expect(taken > 0, sourceLocation: sourceLocation)
  }
}
