import COpenCL

/// A kernel of a compiled program, from which launches are made.
package final class OpenCLKernel: @unchecked Sendable {
  package let name: String
  package let device: OpenCLDevice
  /// Limit for the work-items of one work-group of this kernel.
  package let maxWorkGroupSize: Int
  let program: OpenCLProgram

  init(_ program: OpenCLProgram, name: String) throws(KernelError) {
    self.name = name
    self.program = program
    device = program.device
    let functions = device.library.functions
    let kernel = try Self.make(program, name)
    defer { _ = functions.clReleaseKernel(kernel) }
    var size = 0
    let parameter = cl_kernel_work_group_info(CL_KERNEL_WORK_GROUP_SIZE)
    let known = functions.clGetKernelWorkGroupInfo(kernel, device.handle, parameter, 8, &size, nil) == CL_SUCCESS
    maxWorkGroupSize = known && size > 0 ? min(size, device.maxWorkGroupSize) : device.maxWorkGroupSize
  }

  var isFromCache: Bool { program.isFromCache }

  var place: String { Self.place(program, name) }

  /// A `cl_kernel` with its own arguments.
  func makeHandle() throws(KernelError) -> cl_kernel { try Self.make(program, name) }

  /// A launch with these arguments for `global` work-items in each dimension (one to three). The counts are rounded up
  /// to multiples of `local`; kernels must guard against the surplus.
  package func launch(
    _ parameters: [OpenCLParameter], global: [Int], local: [Int]
  ) throws(KernelError) -> OpenCLLaunch {
    try OpenCLLaunch(self, parameters, global: global, local: local)
  }

  private static func make(_ program: OpenCLProgram, _ name: String) throws(KernelError) -> cl_kernel {
    var status: cl_int = 0
    let kernel = program.device.library.functions.clCreateKernel(program.handle, name, &status)
    try OpenCLStatus.check(status, "clCreateKernel", place(program, name))
    guard let kernel else {
      throw KernelError(.openCLCall, "\(place(program, name)): clCreateKernel gave no kernel")
    }
    return kernel
  }

  private static func place(_ program: OpenCLProgram, _ name: String) -> String {
    "kernel '\(name)' of \(program.key.source.place) on \(program.device.id) (\(program.device.name))"
  }
}
