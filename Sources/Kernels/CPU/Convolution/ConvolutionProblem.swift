import CKernels
import MIL

extension WindowGeometry {
  /// The geometry as the C kernels take it.
  var window: ck_window {
    ck_window(
      in_channels: inChannels, out_channels: outChannels, groups: groups, in_d: input[0], in_h: input[1],
      in_w: input[2], out_d: output[0], out_h: output[1], out_w: output[2], kernel_d: kernel[0], kernel_h: kernel[1],
      kernel_w: kernel[2], stride_d: strides[0], stride_h: strides[1], stride_w: strides[2],
      dilation_d: dilations[0], dilation_h: dilations[1], dilation_w: dilations[2], pad_d: padBefore[0],
      pad_h: padBefore[1], pad_w: padBefore[2])
  }

  /// The same geometry with trivial axes (size 1, no padding) moved before the others. The memory layout does not
  /// change. Kernels tile along the last axis, which is then longer than one.
  var straightened: WindowGeometry {
    let isLong = input.indices.map {
      input[$0] != 1 || output[$0] != 1 || kernel[$0] != 1 || padBefore[$0] != 0 || padAfter[$0] != 0
    }
    let order = isLong.indices.filter { !isLong[$0] } + isLong.indices.filter { isLong[$0] }
    func inOrder(_ sizes: [Int]) -> [Int] { order.map { sizes[$0] } }
    var result = self
    (result.input, result.output, result.kernel) = (inOrder(input), inOrder(output), inOrder(kernel))
    (result.strides, result.dilations) = (inOrder(strides), inOrder(dilations))
    (result.padBefore, result.padAfter) = (inOrder(padBefore), inOrder(padAfter))
    return result
  }

  /// Refuses windows whose offsets kernels cannot compute in 32 bits: wide windows, and windows that reach far outside.
  func requireNear() throws {
    for axis in input.indices {
      let (pads, extent) = (max(padBefore[axis], padAfter[axis]), (kernel[axis] - 1) * dilations[axis])
      guard pads <= 1 << 20, extent <= 1 << 20, strides[axis] <= 1 << 20 else {
        throw Refusal("the window is too wide, or reaches too far outside")
      }
    }
  }

  /// Whether a batch, channel or spatial size is 0. The C kernels require nonzero sizes.
  var isEmpty: Bool {
    batch < 1 || inChannels < 1 || outChannels < 1 || inputArea < 1 || outputArea < 1
  }
}

/// An fp32 convolution, transposed or not, as its kernels see it.
struct ConvolutionProblem: Sendable {
  let geometry: WindowGeometry
  let window: ck_window
  let x: Int
  let weight: Int
  let epilogue: Epilogue
  let threads: Int

  init(_ problem: KernelProblem) throws {
    try problem.requireScalar(.float32, of: ["x", "weight", "bias", "add"])
    let asWritten =
      try problem.operation == "conv_transpose"
      ? TransposedConvolution.geometry(problem.invocation) : Convolution.geometry(problem.invocation)
    geometry = asWritten.straightened
    guard !geometry.isEmpty else { throw Refusal("the convolution is empty") }
    window = geometry.window
    x = try problem.slot("x")
    weight = try problem.slot("weight")
    epilogue = try Epilogue(problem)
    threads = max(problem.threads, 1)
  }

  var groupIn: Int { geometry.inChannels / geometry.groups }
  var groupOut: Int { geometry.outChannels / geometry.groups }
  /// Elements of one image of the input and of the output.
  var inputImage: Int { geometry.inChannels * geometry.inputArea }
  var outputImage: Int { geometry.outChannels * geometry.outputArea }

  /// Whether NCHWc kernels keep the weights as fp16: only if fp16 holds them exactly. Reading the weights is bound by
  /// memory bandwidth, and fp16 needs half the bytes.
  func keepsF16(_ weights: StoredWeight) -> Bool {
    var window = window
    return F16Matrix.canHold(weights) && ck_block_conv_takes_f16(&window, false)
  }

  /// A candidate whose kernel computes output channels `begin ..< end` of one image, distributed over the pool. The
  /// kernel applies bias and activation itself; a residual input is added afterwards.
  func candidateByChannels(
    efficiency: Double,
    _ run:
      @escaping @Sendable (
        UnsafePointer<ck_window>, UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<ck_epilogue>,
        UnsafeMutablePointer<Float>, Int, Int
      ) -> Void
  ) -> Candidate {
    let ranges = Chunks(geometry.outChannels, about: threads == 1 ? 1 : 4 * threads)
    return .cpu(efficiency: efficiency) { frame in
      let input: UnsafePointer<Float> = frame.input(x)
      let weights: UnsafePointer<Float> = frame.input(weight)
      let output: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(geometry.batch * ranges.count) { items in
        var (shape, finish) = (window, epilogue.whole(frame))
        for item in items {
          let image = item / ranges.count
          let channels = ranges[item % ranges.count]
          run(
            &shape, input + image * inputImage, weights, &finish, output + image * outputImage, channels.lowerBound,
            channels.upperBound)
          epilogue.finish(
            frame, image * outputImage + channels.lowerBound * geometry.outputArea,
            channels.count * geometry.outputArea)
        }
      }
    }
  }
}

extension KernelProblem {
  /// The convolution, derived once for all kernels that are asked whether they compute it.
  func convolution() throws -> ConvolutionProblem { try derived(ConvolutionProblem.init) }
}
