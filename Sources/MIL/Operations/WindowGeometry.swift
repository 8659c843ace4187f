/// The concrete geometry of a convolution or pooling with three spatial axes (depth, height, width). Missing leading
/// axes have size 1, so that references and kernels need only one form.
///
/// Output `o` of a convolution reads input `o * stride - padBefore + k * dilation`. Input `i` of a transposed
/// convolution adds to output `i * stride - padBefore + k * dilation`. Inputs outside of the tensor are zero; outputs
/// outside are dropped.
package struct WindowGeometry: Sendable, Hashable {
  package var batch: Int
  package var inChannels: Int
  package var outChannels: Int
  package var groups: Int
  /// Sizes along depth, height and width.
  package var input: [Int]
  package var output: [Int]
  package var kernel: [Int]
  package var strides: [Int]
  package var dilations: [Int]
  package var padBefore: [Int]
  package var padAfter: [Int]
  /// The operation's own number of spatial axes: 1, 2 or 3.
  package let spatialRank: Int

  package var inputArea: Int { Self.area(input) }
  package var outputArea: Int { Self.area(output) }
  package var kernelArea: Int { Self.area(kernel) }

  /// Kernels call this at run time. In debug builds a loop over elements would allocate memory, unlike one over
  /// indices.
  private static func area(_ sizes: [Int]) -> Int {
    var product = 1
    for axis in sizes.indices { product *= sizes[axis] }
    return product
  }

  /// Throws if a size is unknown, or too large for index arithmetic.
  init(
    _ call: Invocation, batch: Int, inChannels: Int, outChannels: Int, groups: Int, input: [Int], output: [Dimension],
    window: Window, pads: [(before: Dimension, after: Dimension)]
  ) throws {
    func lift(_ sizes: [Int], _ fill: Int) -> [Int] { Array(repeating: fill, count: 3 - sizes.count) + sizes }
    func known(_ sizes: [Dimension]) throws -> [Int] {
      try sizes.map { size in
        guard let value = size.value, value <= 1 << 40 else {
          throw call.error(.unknownValue, "the geometry of the window is not known, or too large")
        }
        return value
      }
    }
    self.batch = batch
    self.inChannels = inChannels
    self.outChannels = outChannels
    self.groups = groups
    spatialRank = input.count
    self.input = lift(try known(input.map { Dimension($0) }), 1)
    self.output = lift(try known(output), 1)
    kernel = lift(try known(window.kernel), 1)
    strides = lift(window.strides, 1)
    dilations = lift(window.dilations, 1)
    padBefore = lift(try known(pads.map(\.before)), 0)
    padAfter = lift(try known(pads.map(\.after)), 0)
    _ = try known(input.indices.map { window.extent($0) })
  }
}
