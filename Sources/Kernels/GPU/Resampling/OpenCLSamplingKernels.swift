import CoreMLBase
import MIL

/// OpenCL kernels that sample images at computed positions. Devices would compute positions in fp32, where the
/// nearest pixel and the image border may differ. So the host computes them, and they must be known when the plan is
/// made.
enum OpenCLSamplingKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation(
      "sample.opencl", for: ["resample", "affine", "crop_resize"], on: .openCL, mixesPrecisions: true
    ) { problem in
      let f16 = try problem.openCLF16Operands()
      let context = try problem.requireOpenCL()
      let (size, output) = (try problem.sizes("x"), try problem.outputSizes())
      guard !size.contains(0), !output.contains(0), size[2] * size[3] <= 1 << 30 else {
        throw Refusal("the images are empty or too large")
      }
      let area = output.suffix(2).reduce(1, *)
      let channels = size[1]
      let images = output.reduce(1, *) / area / channels
      guard area <= mostPlaces, images <= mostPlaces / area else {
        throw Refusal("\(images) images of \(area) pixels are more than \(mostPlaces) places to keep")
      }
      do {
        try MemoryBudget.current.admit(images * area, of: 160, for: "the places of \(images * area) pixels")
      } catch let error as MILError { throw Refusal(error.message) }
      let call = try problem.knowingPlaces()
      let x = try problem.slot("x")
      let places = Set(problem.operands.indices).subtracting([x])
      return Candidate(efficiency: 0.1, packed: places) {
        let launch = try CLSample(context, ImageTaps(call), size: size, area: area, f16: f16)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    }
  ]

  /// Limit for the pixels whose positions a plan keeps. Each takes 32 bytes on the device, and twice that during the
  /// computation.
  private static let mostPlaces = 1 << 20
}

extension KernelProblem {
  /// The invocation with the values of all arguments but `x`. Refuses if they are not constant, or if a box selects an
  /// image that does not exist.
  fileprivate func knowingPlaces() throws -> Invocation {
    var values = invocation.values
    for operand in operands where operand.parameter != "x" {
      guard let constant = operand.constant else {
        throw Refusal("'\(operand.parameter)' is not a constant: places are worked out when a plan is made")
      }
      if values[operand.parameter]?.indices.contains(operand.index) == true {
        values[operand.parameter]?[operand.index] = .tensor(constant)
      } else {
        values[operand.parameter] = [.tensor(constant)]
      }
    }
    let call = Invocation(operation: invocation.operation, inputTypes: invocation.inputTypes, values: values)
    if operation == "crop_resize" {
      let images = try sizes("x")[0]
      let crops = try CropBoxes(ReferenceCall(invocation: call, outputs: outputs.map { .tensor($0) })).crops
      guard crops.allSatisfy({ (0..<images).contains($0.image) }) else {
        throw Refusal("a box selects an image that does not exist")
      }
    }
    return call
  }
}
