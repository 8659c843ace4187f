import CKernels
import MIL

/// Measures the peak rates of a device in some tens of milliseconds. Every figure is the best of a few runs, because
/// other load on the system can only make a run slower.
enum DeviceMeasurement {
  private static let rounds = 5

  /// The fewest seconds that `work` took.
  private static func best(_ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    var best = Double.infinity
    for _ in 0..<rounds {
      let start = clock.now
      try work()
      best = min(best, (clock.now - start) / .seconds(1))
    }
    return max(best, 1e-9)
  }

  // MARK: OpenCL

  static func profile(of context: OpenCLContext) throws -> DeviceProfile {
    let queue = try context.makeQueue()
    let launch = try launchSeconds(context, queue)
    let (bandwidth, latency, transfer) = try movement(context, queue)
    return DeviceProfile(
      peakFlops: try arithmetic(context, queue), bandwidth: bandwidth, launch: launch, transferBandwidth: transfer,
      transferLatency: latency)
  }

  private static func arithmetic(_ context: OpenCLContext, _ queue: OpenCLQueue) throws -> Double {
    let kernel = try context.kernel("measure_arithmetic", of: .embedded("measure"))
    let items = max(context.device.computeUnits, 1) * 2048
    let buffer = try context.makeBuffer(byteCount: items * 4)
    let local = min(256, kernel.maxWorkGroupSize)
    var rounds = 256
    func run() throws {
      try kernel.launch([.floats("y", items), .int(Int32(rounds))], global: [items], local: [local])
        .enqueue(on: queue, buffer.memory)
      try queue.finish()
    }
    try run()
    // A run must take many times its launch, but slow devices must not be busy for long.
    while rounds < 1 << 20, try best(run) < 2e-3 { rounds *= 4 }
    return Double(items) * Double(rounds) * 16 / (try best(run))
  }

  private static func launchSeconds(_ context: OpenCLContext, _ queue: OpenCLQueue) throws -> Double {
    let kernel = try context.kernel("measure_launch", of: .embedded("measure"))
    let buffer = try context.makeBuffer(byteCount: 64)
    let count = 100
    let launch = try kernel.launch([.floats("y", 16)], global: [1], local: [1])
    func run() throws {
      for _ in 0..<count { try launch.enqueue(on: queue, buffer.memory) }
      try queue.finish()
    }
    try run()
    return try best(run) / Double(count)
  }

  /// Bytes a second in device memory, seconds of one small transfer, and bytes a second of large transfers.
  private static func movement(
    _ context: OpenCLContext, _ queue: OpenCLQueue
  ) throws -> (bandwidth: Double, latency: Double, transfer: Double) {
    let kernel = try context.kernel("measure_bandwidth", of: .embedded("measure"))
    // Larger than the caches of most devices, and small compared to their memory.
    let bytes = max(min(256 << 20, context.device.maxAllocationBytes / 4, context.device.memoryBytes / 16), 1 << 20)
    let count = bytes / 16
    let (source, target) = (try context.makeBuffer(byteCount: bytes), try context.makeBuffer(byteCount: bytes))
    try queue.zero(source.memory)
    let local = min(256, kernel.maxWorkGroupSize)
    let launch = try kernel.launch(
      [.memory("x", count: count, size: 16), .memory("y", count: count, size: 16), .int(Int32(count))],
      global: [count], local: [local])
    func pass() throws {
      try launch.enqueue(on: queue, source.memory, target.memory)
      try queue.finish()
    }
    try pass()
    let bandwidth = 2 * Double(count * 16) / (try best(pass))
    let host = [Float](repeating: 1, count: min(bytes, 16 << 20) / 4)
    let (latency, whole) = try host.withUnsafeBytes { memory in
      try queue.write(memory, to: target.memory)
      let small = UnsafeRawBufferPointer(rebasing: memory[0..<64])
      return (
        try best { try queue.write(small, to: target.memory) }, try best { try queue.write(memory, to: target.memory) }
      )
    }
    return (bandwidth, latency, Double(host.count * 4) / max(whole - latency, 1e-9))
  }

  // MARK: CPU

  static func profile(of pool: ThreadPool) throws -> DeviceProfile {
    DeviceProfile(
      peakFlops: products(pool), bandwidth: try copies(pool), launch: DeviceProfile.cpu(threads: 1).launch)
  }

  /// Operations a second of matrix products whose operands stay in the caches, on all threads concurrently.
  private static func products(_ pool: ThreadPool) -> Double {
    let (size, repeats) = (256, 4)
    let operands = UnsafeMutablePointer<Float>.allocate(capacity: size * size)
    let results = UnsafeMutablePointer<Float>.allocate(capacity: size * size * pool.threads)
    operands.initialize(repeating: 0.5, count: size * size)
    results.initialize(repeating: 0, count: size * size * pool.threads)
    defer {
      operands.deallocate()
      results.deallocate()
    }
    let seconds = best {
      pool.run(pool.threads) { items in
        for item in items {
          for _ in 0..<repeats {
            BLAS.multiply(
              operands, lda: size, operands, ldb: size, results + item * size * size, ldc: size, m: size, n: size,
              k: size)
          }
        }
      }
    }
    return Double(pool.threads * repeats * 2 * size * size * size) / seconds
  }

  /// Bytes read and written a second by copies that exceed the caches, on all threads concurrently.
  private static func copies(_ pool: ThreadPool) throws -> Double {
    let share = 16 << 20
    let bytes = share * min(pool.threads, 8)
    let memory = try (0..<2).map { _ in try TensorStorage(byteCount: bytes, for: "measuring how fast memory is copied")
    }
    guard let source = memory[0].mutablePointer, let target = memory[1].mutablePointer else { return 0 }
    source.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
    target.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    let seconds = withExtendedLifetime(memory) {
      best {
        pool.run(bytes / share) { items in
          for item in items { (target + item * share).copyMemory(from: source + item * share, byteCount: share) }
        }
      }
    }
    return 2 * Double(bytes) / seconds
  }
}
