/// The concrete geometry of a convolution or a pool, lifted to three spatial axes (depth, height, width; missing leading
/// ones are 1 wide), so that references and kernels need one form.
///
/// A convolution's output `o` reads input `o * stride - padBefore + k * dilation`; a transposed convolution's input `i` adds to
/// output `i * stride - padBefore + k * dilation`. What falls outside is zero, or dropped.
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
  /// Spatial axes that the operation itself has: 1, 2 or 3.
  package let spatialRank: Int

  package var inputArea: Int { Self.area(input) }
  package var outputArea: Int { Self.area(output) }
  package var kernelArea: Int { Self.area(kernel) }

  /// Kernels ask for it while they run: a loop over indices takes no memory in debug builds either, where one over elements does.
  private static func area(_ sizes: [Int]) -> Int {
    var product = 1
    for axis in sizes.indices { product *= sizes[axis] }
    return product
  }

  /// Throws when a size is not known, or too large for the sums that index with it.
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
