import CKernels
import MIL

enum NormalizationKernels {
  /// Calls `body` for each channel of each image with the offset of its elements, distributed over the threads.
  private static func eachChannel(
    _ frame: CPUFrame, _ sizes: [Int], _ spatial: Int, _ body: (_ channel: Int, _ place: Int) -> Void
  ) {
    frame.pool.run(sizes[0] * sizes[1], grain: max(ThreadPool.elementGrain / max(spatial, 1), 1)) { range in
      for line in range { body(line % sizes[1], line * spatial) }
    }
  }

  /// Distributes [images, channels, elements] over the threads: by channel of an image, or by image if each channel has
  /// a single element.
  private static func eachPart(
    _ frame: CPUFrame, _ sizes: [Int], _ spatial: Int,
    _ body: (_ place: Int, _ images: Int, _ channels: Range<Int>) -> Void
  ) {
    guard spatial == 1 else {
      return eachChannel(frame, sizes, spatial) { channel, place in body(place, 1, channel..<channel + 1) }
    }
    frame.pool.run(sizes[0], grain: max(ThreadPool.elementGrain / max(sizes[1], 1), 1)) { range in
      body(range.lowerBound * sizes[1], range.count, 0..<sizes[1])
    }
  }

  static let all: [KernelImplementation] = [
    KernelImplementation("batch_norm.vector", for: "batch_norm") { problem in
      try problem.requireScalar(.float32, of: ["x", "mean", "variance", "gamma", "beta"])
      let sizes = try problem.sizes("x")
      let (x, mean, variance) = (try problem.slot("x"), try problem.slot("mean"), try problem.slot("variance"))
      let (gamma, beta) = (problem.optionalSlot("gamma"), problem.optionalSlot("beta"))
      let epsilon = Float(try problem.invocation.double("epsilon", default: 1e-5))
      let spatial = sizes[2...].reduce(1, *)
      return .cpu(efficiency: 0.1, inPlace: [x]) { frame in
        let (source, target) = (frame.input(x, as: Float.self), frame.output(0, as: Float.self))
        let (means, variances) = (frame.input(mean, as: Float.self), frame.input(variance, as: Float.self))
        let scale: UnsafePointer<Float>? = frame.input(optional: gamma)
        let shift: UnsafePointer<Float>? = frame.input(optional: beta)
        eachPart(frame, sizes, spatial) { place, images, channels in
          let first = channels.lowerBound
          ck_batch_norm_f32(
            source + place, means + first, variances + first, scale.map { $0 + first }, shift.map { $0 + first },
            epsilon, target + place, images, channels.count, spatial)
        }
      }
    },
    KernelImplementation("affine.vector", for: "fused.affine") { problem in
      try problem.requireScalar(.float32, of: ["x", "center", "scale", "shift"])
      let sizes = try problem.sizes("x")
      let (x, center) = (try problem.slot("x"), try problem.slot("center"))
      let (scale, shift) = (try problem.slot("scale"), try problem.slot("shift"))
      let (op, alpha, beta) = try FusedActivation(problem.invocation).unary
      let spatial = sizes[2...].reduce(1, *)
      guard sizes[1] > 0, spatial > 0 else { throw Refusal("an empty tensor") }
      return .cpu(efficiency: 0.1, inPlace: [x]) { frame in
        let (source, target) = (frame.input(x, as: Float.self), frame.output(0, as: Float.self))
        let (centers, scales) = (frame.input(center, as: Float.self), frame.input(scale, as: Float.self))
        let shifts = frame.input(shift, as: Float.self)
        eachPart(frame, sizes, spatial) { place, images, channels in
          let first = channels.lowerBound
          ck_batch_norm_f32(
            source + place, centers + first, nil, scales + first, shifts + first, 0, target + place, images,
            channels.count, spatial)
          ck_unary_f32(op, alpha, beta, target + place, target + place, images * channels.count * spatial)
        }
      }
    },
    KernelImplementation("instance_norm.vector", for: "instance_norm") { problem in
      try problem.requireScalar(.float32, of: ["x", "gamma", "beta"])
      let sizes = try problem.sizes("x")
      let x = try problem.slot("x")
      let (gamma, beta) = (problem.optionalSlot("gamma"), problem.optionalSlot("beta"))
      let epsilon = Float(try problem.invocation.double("epsilon", default: 1e-5))
      let spatial = sizes[2...].reduce(1, *)
      guard sizes[1] > 0, spatial > 0 else { throw Refusal("an empty tensor") }
      return .cpu(efficiency: 0.1, inPlace: [x]) { frame in
        let source = frame.input(x, as: Float.self)
        let target = frame.output(0, as: Float.self)
        let (scale, shift) = (
          gamma.map { frame.input($0, as: Float.self) }, beta.map { frame.input($0, as: Float.self) }
        )
        eachChannel(frame, sizes, spatial) { channel, place in
          ck_group_norm_f32(
            source + place, scale.map { $0 + channel }, shift.map { $0 + channel }, epsilon, target + place, 1, 1, 1,
            spatial)
        }
      }
    },
    KernelImplementation("layer_norm.rows", for: "layer_norm") { problem in
      try problem.requireScalar(.float32, of: ["x", "gamma", "beta"])
      let sizes = try problem.sizes("x")
      let axes = try problem.invocation.axes("axes", default: Array(sizes.indices), rank: sizes.count).sorted()
      guard axes == Array((sizes.count - axes.count)..<sizes.count), !axes.isEmpty else {
        throw Refusal("the axes \(axes) are not the last ones")
      }
      let columns = axes.map { sizes[$0] }.reduce(1, *)
      let rows = sizes[..<axes[0]].reduce(1, *)
      let x = try problem.slot("x")
      let (gamma, beta) = (problem.optionalSlot("gamma"), problem.optionalSlot("beta"))
      let epsilon = Float(try problem.invocation.double("epsilon", default: 1e-5))
      return .cpu(efficiency: 0.1, inPlace: [x]) { frame in
        let source = frame.input(x, as: Float.self)
        let target = frame.output(0, as: Float.self)
        let (scale, shift) = (
          gamma.map { frame.input($0, as: Float.self) }, beta.map { frame.input($0, as: Float.self) }
        )
        frame.pool.run(rows, grain: max(ThreadPool.elementGrain / max(columns, 1), 1)) { range in
          ck_layer_norm_f32(
            source + range.lowerBound * columns, scale, shift, epsilon, target + range.lowerBound * columns,
            range.count,
            columns)
        }
      }
    },
    KernelImplementation("rms_norm.rows", for: "fused.rms_norm") { problem in
      try problem.requireScalar(.float32, of: ["x", "gamma"])
      let sizes = try problem.sizes("x")
      let columns = sizes.last ?? 1
      let rows = sizes.dropLast().reduce(1, *)
      let (x, gamma) = (try problem.slot("x"), problem.optionalSlot("gamma"))
      let epsilon = Float(try problem.invocation.double("epsilon", default: 0))
      return .cpu(efficiency: 0.1, inPlace: [x]) { frame in
        let source = frame.input(x, as: Float.self)
        let target = frame.output(0, as: Float.self)
        let scale = gamma.map { frame.input($0, as: Float.self) }
        frame.pool.run(rows, grain: max(ThreadPool.elementGrain / max(columns, 1), 1)) { range in
          ck_rms_norm_f32(
            source + range.lowerBound * columns, scale, epsilon, target + range.lowerBound * columns, range.count,
            columns)
        }
      }
    },
    KernelImplementation("l2_norm.rows", for: "l2_norm") { problem in
      try problem.requireScalar(.float32, of: ["x"])
      let sizes = try problem.sizes("x")
      let columns = sizes.suffix(3).reduce(1, *)
      let rows = sizes.dropLast(3).reduce(1, *)
      let x = try problem.slot("x")
      let epsilon = Float(try problem.invocation.double("epsilon", default: 1e-6))
      return .cpu(efficiency: 0.1, inPlace: [x]) { frame in
        ck_l2_norm_f32(frame.input(x), epsilon, frame.output(0), rows, columns)
      }
    },
    KernelImplementation("local_response_norm.vector", for: "local_response_norm") { problem in
      try problem.requireScalar(.float32, of: ["x"])
      let sizes = try problem.sizes("x")
      let x = try problem.slot("x")
      let size = try problem.invocation.int("size")
      let alpha = Float(try problem.invocation.double("alpha", default: 1e-4))
      let beta = Float(try problem.invocation.double("beta", default: 0.75))
      let k = Float(try problem.invocation.double("k", default: 1))
      let spatial = sizes[2...].reduce(1, *)
      return .cpu(efficiency: 0.05) { frame in
        ck_local_response_norm_f32(
          frame.input(x), size, alpha, beta, k, frame.output(0), sizes[0], sizes[1], spatial)
      }
    },
    KernelImplementation("prelu.vector", for: ["prelu", "softplus_parametric"]) { problem in
      try problem.requireScalar(.float32, of: ["x", "alpha", "beta"])
      let sizes = try problem.sizes("x")
      let (x, alpha, beta) = (try problem.slot("x"), try problem.slot("alpha"), problem.optionalSlot("beta"))
      let op = problem.operation == "prelu" ? CK_UNARY_LEAKY_RELU : CK_UNARY_PARAMETRIC_SOFTPLUS
      let inner = sizes[2...].reduce(1, *)
      return .cpu(efficiency: 0.05, inPlace: [x]) { frame in
        ck_unary_per_channel_f32(
          op, frame.input(alpha), beta.map { frame.input($0) }, frame.input(x), frame.output(0), sizes[0], sizes[1],
          inner)
      }
    },
  ]
}
