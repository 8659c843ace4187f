/// Small embedded programs that show what a device can do. Each has one kernel of the program's name, which 32
/// work-items run. Work-item i must write i + 1.
enum OpenCLProbe {
  /// Compiles, loads and runs the probe. Throws if a step fails or the result is wrong.
  static func run(_ name: String, on context: OpenCLContext) throws {
    let kernel = try context.kernel(name, of: .embedded(name))
    let queue = try context.makeQueue()
    let memory = try context.makeBuffer(copying: [Float](repeating: 0, count: 32)).memory
    try kernel.launch([.floats("y", 32)], global: [32], local: [min(32, kernel.maxWorkGroupSize)])
      .enqueue(on: queue, memory)
    try queue.finish()
    var result = [Float](repeating: 0, count: 32)
    try result.withUnsafeMutableBytes { try queue.read(memory, into: $0) }
    guard result == (1...32).map({ Float($0) }) else {
      throw KernelError(.openCLCall, "\(kernel.place) computes wrong values")
    }
  }
}
