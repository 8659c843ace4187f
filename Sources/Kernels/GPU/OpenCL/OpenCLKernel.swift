import COpenCL

/// A kernel of a compiled program: what launches are made of.
package final class OpenCLKernel: @unchecked Sendable {
  package let name: String
  package let device: OpenCLDevice
  /// Work-items in one work-group of this kernel, at most.
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

  /// An object with arguments of its own.
  func makeHandle() throws(KernelError) -> cl_kernel { try Self.make(program, name) }

  /// The kernel with these arguments, for `global` work-items a dimension (one to three), rounded up to whole work-groups
  /// of `local`: kernels guard against the surplus.
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
