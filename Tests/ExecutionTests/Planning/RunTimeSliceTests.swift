import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// Slices at positions known only at run time: the sizes are planned, and the positions are not.
@Suite struct RunTimeSliceTests {
  private static let x = Tensor(float32: (0..<20).map(Float.init), shape: [4, 5])
  private static let update = Tensor(float32: [100, 101, 102, 103, 104, 105], shape: [2, 3])

  private static func vector(_ numbers: [Int]) -> Tensor { Tensor(int32: numbers, shape: [numbers.count]) }

  private static func updated(_ begin: [Int], _ end: [Int], _ more: String = "") throws -> [Double]? {
    let engine = try EngineTests.engine(
      """
      (tensor<fp32, [4, 5]> x, tensor<fp32, [2, 3]> u, tensor<int32, [2]> b, tensor<int32, [2]> e) {
        tensor<fp32, [4, 5]> y = slice_update(x = x, update = u, begin = b, end = e\(more));
      } -> (y)
      """)
    let plan = try engine.plan(for: engine.inputTypes)
    #expect(plan.steps.map(\.choice.kernel) == ["copy.dynamic"])
    return try EngineTests.run(engine, ["x": x, "u": update, "b": vector(begin), "e": vector(end)])["y"]
  }

  /// The elements of `x`, where the elements at `places` are those of the update in order.
  private static func expected(_ places: [Int]) -> [Double] {
    var result = (0..<20).map(Double.init)
    for (number, place) in places.enumerated() { result[place] = Double(100 + number) }
    return result
  }

  @Test func anUpdateIsPutWhereItBelongs() throws {
    #expect(try Self.updated([0, 0], [2, 3]) == Self.expected([0, 1, 2, 5, 6, 7]))
    #expect(try Self.updated([2, 1], [4, 4]) == Self.expected([11, 12, 13, 16, 17, 18]))
    // Indices that count from the end, and indices beyond it.
    #expect(try Self.updated([-2, -3], [9, 9]) == Self.expected([12, 13, 14, 17, 18, 19]))
    // Every other row, and the columns backwards.
    let stride = ", stride = tensor<int32, [2]>([2, -1])"
    #expect(try Self.updated([0, 3], [3, 0], stride) == Self.expected([3, 2, 1, 13, 12, 11]))
    // A masked bound is ignored.
    let masks = ", end_mask = tensor<bool, [2]>([true, false])"
    #expect(try Self.updated([2, 0], [-9, 3], masks) == Self.expected([10, 11, 12, 15, 16, 17]))
  }

  @Test(arguments: [[3, 0], [0, 3], [4, 5], [-1, 0]]) func anotherSizeIsAnError(begin: [Int]) {
    let error = #expect(throws: KernelError.self) { try Self.updated(begin, [begin[0] + 2, begin[1] + 3]) }
    #expect(error?.message.contains("the update [2, 3]") == true, "\(String(describing: error))")
  }

  @Test func aWindowIsReadWhereItBegins() throws {
    let engine = try EngineTests.engine(
      """
      (tensor<fp32, [4, 5]> x, tensor<int32, [2]> b) {
        tensor<fp32, [2, 3]> y = slice_by_size(x = x, begin = b, size = tensor<int32, [2]>([2, 3]));
      } -> (y)
      """)
    #expect(try engine.plan(for: engine.inputTypes).steps.map(\.choice.kernel) == ["copy.dynamic"])
    func window(_ begin: [Int]) throws -> [Double]? {
      try EngineTests.run(engine, ["x": Self.x, "b": Self.vector(begin)])["y"]
    }
    #expect(try window([0, 0]) == [0, 1, 2, 5, 6, 7])
    #expect(try window([2, 2]) == [12, 13, 14, 17, 18, 19])
    #expect(try window([-3, -4]) == [6, 7, 8, 11, 12, 13])
    for begin in [[3, 0], [0, 3], [-5, 0], [5, 0]] {
      #expect(throws: (any Error).self) { try window(begin) }
    }
  }

  /// The update has no axis for an indexed axis.
  @Test func anIndexedAxis() throws {
    let engine = try EngineTests.engine(
      """
      (tensor<fp32, [4, 5]> x, tensor<fp32, [5]> u, tensor<int32, [1]> b) {
        tensor<fp32, [4, 5]> y = slice_update(x = x, update = u, begin = b, end = b,
          begin_mask = tensor<bool, [2]>([false, true]), end_mask = tensor<bool, [2]>([false, true]),
          squeeze_mask = tensor<bool, [2]>([true, false]));
      } -> (y)
      """)
    #expect(try engine.plan(for: engine.inputTypes).steps.map(\.choice.kernel) == ["copy.dynamic"])
    let row = Tensor(float32: [100, 101, 102, 103, 104], shape: [5])
    for index in [0, 3, -1] {
      let first = (index + 4) % 4 * 5
      #expect(
        try EngineTests.run(engine, ["x": Self.x, "u": row, "b": Self.vector([index])])["y"]
          == Self.expected(Array(first..<first + 5)))
    }
    #expect(throws: (any Error).self) { try EngineTests.run(engine, ["x": Self.x, "u": row, "b": Self.vector([4])]) }
  }
}
