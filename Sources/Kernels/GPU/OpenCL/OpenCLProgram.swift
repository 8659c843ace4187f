import COpenCL
import Synchronization

/// A compiled program, from the disk cache or from its source.
final class OpenCLProgram: @unchecked Sendable {
  /// What a program is compiled from: a source and `-D` definitions.
  struct Key {
    let source: OpenCLSource
    let options: String
    var text: String { "\(options) \(source.identity)" }

    init(source: OpenCLSource, definitions: [String: String]) {
      self.source = source
      options = (["-cl-std=CL1.2"] + definitions.sorted { $0.key < $1.key }.map { "-D \($0.key)=\($0.value)" })
        .joined(separator: " ")
    }
  }

  let key: Key
  let device: OpenCLDevice
  /// Whether the binary came from the disk cache.
  let isFromCache: Bool
  let handle: cl_program
  private let fileName: String
  private let state: Mutex<State>

  private enum State { case compiled, run, saved }

  init(_ context: OpenCLContext, _ key: Key, _ cache: FileCache) throws(KernelError) {
    self.key = key
    device = context.device
    let text = try key.source.text()
    fileName = FileCache.fileName([text, key.options, device.programIdentity], suffix: "clprogram")
    if let binary = cache.load(fileName), let program = Self.load(binary, context, key.options) {
      handle = program
      isFromCache = true
      state = Mutex(.saved)
    } else {
      handle = try Self.compile(text, context, key)
      isFromCache = false
      state = Mutex(.compiled)
    }
  }

  deinit { _ = device.library.functions.clReleaseProgram(handle) }

  /// Records that one of the program's kernels was enqueued.
  func markRun() {
    state.withLock { if $0 == .compiled { $0 = .run } }
  }

  /// Whether the program was compiled here and has run, and is not yet on disk.
  var isToBeSaved: Bool { state.withLock { $0 == .run } }

  /// Writes the binary if the program was compiled here, has run, and is not yet on disk.
  func saveIfRun(to cache: FileCache) {
    let isDue = state.withLock { state in
      guard state == .run else { return false }
      state = .saved
      return true
    }
    if isDue, let binary = binary() { cache.save(binary, fileName) }
  }

  /// Nil if the driver rejects the binary. The source is compiled then.
  private static func load(_ binary: [UInt8], _ context: OpenCLContext, _ options: String) -> cl_program? {
    let functions = context.functions
    return binary.withUnsafeBufferPointer { bytes in
      var device: cl_device_id? = context.device.handle
      var length = bytes.count
      var start = bytes.baseAddress
      var binaryStatus: cl_int = 0
      var status: cl_int = 0
      guard
        let program = functions.clCreateProgramWithBinary(
          context.handle, 1, &device, &length, &start, &binaryStatus, &status)
      else { return nil }
      guard status == CL_SUCCESS, binaryStatus == CL_SUCCESS,
        functions.clBuildProgram(program, 1, &device, options, nil, nil) == CL_SUCCESS
      else {
        _ = functions.clReleaseProgram(program)
        return nil
      }
      return program
    }
  }

  static func compile(_ text: String, _ context: OpenCLContext, _ key: Key) throws(KernelError) -> cl_program {
    let functions = context.functions
    let place = "\(key.source.place) on \(context.device.id) (\(context.device.name))"
    var status: cl_int = 0
    var created: cl_program?
    text.withCString { source in
      var source: UnsafePointer<CChar>? = source
      created = functions.clCreateProgramWithSource(context.handle, 1, &source, nil, &status)
    }
    try OpenCLStatus.check(status, "clCreateProgramWithSource", place)
    guard let program = created else { throw KernelError(.openCLBuild, "\(place): no program") }
    var device: cl_device_id? = context.device.handle
    let built = functions.clBuildProgram(program, 1, &device, key.options, nil, nil)
    guard built == CL_SUCCESS else {
      defer { _ = functions.clReleaseProgram(program) }
      let log = log(program, context)
      // The user cannot look up a generated source for a complete log, so the error has only the first line.
      let words =
        if case .generated = key.source { log.split(separator: "\n").first.map(String.init) ?? log } else { log }
      throw KernelError(
        .openCLBuild, "\(place) with \(key.options): clBuildProgram: \(OpenCLStatus.name(built)): \(words)")
    }
    return program
  }

  private static func log(_ program: cl_program, _ context: OpenCLContext) -> String {
    let parameter = cl_program_build_info(CL_PROGRAM_BUILD_LOG)
    var size = 0
    let functions = context.functions
    let handle = context.device.handle
    guard functions.clGetProgramBuildInfo(program, handle, parameter, 0, nil, &size) == CL_SUCCESS, size > 0,
      size <= 16 << 20
    else { return "no log" }
    var bytes = [UInt8](repeating: 0, count: size)
    guard functions.clGetProgramBuildInfo(program, handle, parameter, size, &bytes, nil) == CL_SUCCESS else {
      return "no log"
    }
    return String(decoding: bytes.prefix { $0 != 0 }.prefix(4000), as: UTF8.self)
  }

  private func binary() -> [UInt8]? {
    let functions = device.library.functions
    var size = 0
    // One device, hence one size and one pointer.
    guard functions.clGetProgramInfo(handle, cl_program_info(CL_PROGRAM_BINARY_SIZES), 8, &size, nil) == CL_SUCCESS,
      size > 0, size <= 256 << 20
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    let status = bytes.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return functions.clGetProgramInfo(handle, cl_program_info(CL_PROGRAM_BINARIES), 8, &start, nil)
    }
    return status == CL_SUCCESS ? bytes : nil
  }
}
