/// The sliding window of a convolution or a pooling. One-dimensional windows have a height of one.
package struct CLWindow: Sendable, Hashable {
  package let input: [Int]
  package let output: [Int]
  package let kernel: [Int]
  package let strides: [Int]
  package let dilations: [Int]
  /// Rows above the image and columns left of it that windows may cover.
  package let padding: [Int]

  /// Sizes are [height, width], or [length] for one dimension. The caller provides the output sizes. They follow from
  /// the padding after the image and the rounding, which the kernels need not know.
  package init(
    input: [Int], output: [Int], kernel: [Int], strides: [Int]? = nil, dilations: [Int]? = nil, padding: [Int]? = nil
  ) throws {
    func pair(_ list: [Int]?, _ fill: Int, _ least: Int, _ what: String) throws -> [Int] {
      let list = list ?? input.map { _ in fill }
      guard list.count == input.count, (1...2).contains(input.count),
        list.allSatisfy({ (least...(1 << 30)).contains($0) })
      else {
        throw KernelError(.openCLLaunch, "a window over \(input): \(what) \(list)")
      }
      return (list.count == 1 ? [fill] : []) + list
    }
    self.input = try pair(input, 1, 0, "the image is")
    self.output = try pair(output, 1, 0, "the output is")
    self.kernel = try pair(kernel, 1, 1, "the kernel is")
    self.strides = try pair(strides, 1, 1, "strides")
    self.dilations = try pair(dilations, 1, 1, "dilations")
    self.padding = try pair(padding, 0, 0, "padding")
    for axis in 0..<2 {
      // Kernels compute positions in 32 bits.
      let reach =
        max(self.output[axis] - 1, 0) * self.strides[axis] + (self.kernel[axis] - 1) * self.dilations[axis]
      guard reach <= 1 << 30, self.input[0] * self.input[1] <= 1 << 30, self.output[0] * self.output[1] <= 1 << 30
      else { throw KernelError(.openCLLaunch, "a window over \(input) with strides \(self.strides) is too large") }
    }
  }

  var inputArea: Int { input[0] * input[1] }
  var outputArea: Int { output[0] * output[1] }

  /// Whether every output depends on the pixel at its own position only.
  var isPointwise: Bool {
    kernel == [1, 1] && strides == [1, 1] && padding == [0, 0] && input == output
  }
}
