import Foundation
import Testing

@testable import CoreMLKernels

/// The device that OpenCL tests use: a GPU if there is one, else any device. Suites run on the main thread, because
/// `tools/check-opencl` runs them in a simulator with per-thread state.
enum OpenCLHarness {
  static let device: OpenCLDevice? = {
    // PoCL's optimizer takes six times as long as running the tests. An empty variable turns it on again.
    setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 0)
    let devices = OpenCLPlatformList.system.devices
    return devices.first { $0.kind == .gpu } ?? devices.first
  }()

  private static let shared = Result { try OpenCLContext(#require(device), features: features) }

  /// Whether the device is a simulator, in which every instruction takes as long as thousands on other devices.
  static let isSimulated = device?.platformName == "Oclgrind"

  /// Kernels for NVIDIA devices run on other devices with OpenCL C versions of the warp functions. These are only fast
  /// enough for tests, and too slow for all tests in a simulator.
  static let features: OpenCLFeatures? =
    device?.vendorID == 0x10DE || isSimulated
    ? nil : OpenCLFeatures(f16Arithmetic: false, inlinePTX: false, tensorCores: false, warps: .plain)

  static var hasWarpFloats: Bool { (try? context().features.hasWarpFloats) == true }

  static func context() throws -> OpenCLContext { try shared.get() }

  /// Pseudorandom values between -1 and 1 that are the same every time.
  static func numbers(_ count: Int, seed: UInt64 = 1) -> [Float] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Float(Int64(bitPattern: state >> 11) % 2001 - 1000) / 1000
    }
  }

  /// Device memory with `values`, starting `padding` elements into its buffer, because kernels must respect offsets.
  static func upload<T: BitwiseCopyable>(_ values: [T], padding: Int = 3) throws -> OpenCLMemory {
    let size = MemoryLayout<T>.size
    guard let filler = values.first else { return try context().makeBuffer(byteCount: 0).memory }
    let buffer = try context().makeBuffer(copying: [T](repeating: filler, count: padding) + values + [filler])
    return try buffer.memory(byteOffset: padding * size, byteCount: values.count * size)
  }

  static func download<T: BitwiseCopyable>(_ memory: OpenCLMemory, as initial: T, on queue: OpenCLQueue) throws -> [T] {
    var values = [T](repeating: initial, count: memory.byteCount / MemoryLayout<T>.size)
    try values.withUnsafeMutableBytes { try queue.read(memory, into: $0) }
    return values
  }

  /// Runs `body` with memory for `count` results that are initialized with `initial`. Returns the results.
  static func run<T: BitwiseCopyable>(
    _ count: Int, initial: T, _ body: (OpenCLQueue, OpenCLMemory) throws -> Void
  ) throws -> [T] {
    let queue = try context().makeQueue()
    let output = try upload([T](repeating: initial, count: count))
    try body(queue, output)
    try queue.finish()
    return try download(output, as: initial, on: queue)
  }

  static func run(_ count: Int, _ body: (OpenCLQueue, OpenCLMemory) throws -> Void) throws -> [Float] {
    // Results that a kernel does not write stay NaN and match nothing.
    try run(count, initial: Float.nan, body)
  }

  static func expectClose(
    _ found: [Float], _ expected: [Float], tolerance: Float = 1e-5, _ what: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(found.count == expected.count, "\(what): the count", sourceLocation: sourceLocation)
    for (index, (a, b)) in zip(found, expected).enumerated() {
      let same = a == b || (a.isNaN && b.isNaN) || (b.isFinite && abs(a - b) <= tolerance * max(1, abs(b)))
      if !same {
        Issue.record("\(what): \(a) at \(index), expected \(b)", sourceLocation: sourceLocation)
        return
      }
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if no OpenCL device is available.
  static var needsOpenCL: Self { .enabled(if: OpenCLHarness.device != nil, "there is no OpenCL device") }
}
