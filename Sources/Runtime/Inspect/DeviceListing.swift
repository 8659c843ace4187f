import CKernels
import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import Foundation

/// The devices that can run models, with their measured peak rates. Each device is measured once; the result is cached
/// on disk.
package struct DeviceListing: Sendable, Encodable {
  package struct CPU: Sendable, Encodable {
    package let id = "cpu"
    package let name: String
    package let kind = "cpu"
    package let cores: Int
    package let features: [String]
    /// The instruction set that kernels are selected for: the best of this processor, limited by COREML_MAX_CPU_ISA.
    package let instructionSet: String
    package let peaks: Peaks?
  }

  package struct Peaks: Sendable, Encodable {
    package let flops: Double
    package let bytesPerSecond: Double
    package let launchSeconds: Double
    package let transferBytesPerSecond: Double?
    package let transferSeconds: Double?

    init(_ profile: DeviceProfile) {
      flops = profile.peakFlops
      bytesPerSecond = profile.bandwidth
      launchSeconds = profile.launch
      transferBytesPerSecond = profile.transferBandwidth.isFinite ? profile.transferBandwidth : nil
      transferSeconds = profile.transferBandwidth.isFinite ? profile.transferLatency : nil
    }
  }

  package struct Device: Sendable, Encodable {
    package let id: String
    package let name: String
    package let vendor: String
    package let kind: String
    package let driver: String
    package let platform: String
    package let computeUnits: Int
    package let memoryBytes: Int
    package let features: [String: Bool]
    package let peaks: Peaks?
    /// Whether the device may be chosen automatically. OpenCL devices of type CPU are for tests and must be named
    /// explicitly.
    package let chosenUnlessNamed: Bool
  }

  package let cpu: CPU
  package let openCL: [Device]
  package let problems: [String]

  package init() {
    let list = OpenCLPlatformList.system
    var problems = list.problems.map { "\($0)" }
    let profiles = MeasuredProfiles(directory: CacheDirectories.folder("profiles"))
    openCL = list.devices.map { device in
      var features: [String: Bool] = [:]
      var peaks: Peaks?
      do {
        let context = try OpenCLContext(device, cacheDirectory: CacheDirectories.folder("programs"))
        if let fault = context.cudaFault { problems.append("\(device.id): the CUDA driver: \(fault)") }
        peaks = try Peaks(profiles.profile(of: context))
        let probed = context.features
        problems += probed.faults.map { "\(device.id): \($0)" }
        features = [
          "f16Arithmetic": probed.f16Arithmetic, "inlinePTX": probed.inlinePTX, "tensorCores": probed.tensorCores,
          "warpProducts": probed.hasWarpProducts, "warpFloats": probed.hasWarpFloats,
          "warpAttention": probed.hasWarpAttention, "warpConvolutions": probed.hasWarpConvolutions,
          "warpStoredProducts": probed.hasWarpStoredProducts, "warpFloatAttention": probed.hasWarpFloatAttention,
          "warpFloatConvolutions": probed.hasWarpFloatConvolutions,
          "groupProducts": probed.hasGroupProducts, "groupFloats": probed.hasGroupFloats,
          "groupAttention": probed.hasGroupAttention,
          "cudaLaunches": context.device.usesCUDA,
        ]
      } catch {
        problems.append("\(device.id): \(error)")
      }
      return Device(
        id: device.id, name: device.name, vendor: device.vendor, kind: device.kind.rawValue,
        driver: device.driverVersion,
        platform: device.platformName, computeUnits: device.computeUnits, memoryBytes: device.memoryBytes,
        features: features, peaks: peaks,
        chosenUnlessNamed: device.kind == .gpu)
    }
    cpu = Self.cpu(profiles)
    if let name = ProcessInfo.processInfo.environment["COREML_MAX_CPU_ISA"], !name.isEmpty,
      ck_isa_limit() == CK_ISA_COUNT
    {
      let known = (0..<CK_ISA_COUNT.rawValue).map { ck_isa($0) }.filter(ck_isa_built).map {
        String(cString: ck_isa_name($0))
      }
      problems.append(
        "COREML_MAX_CPU_ISA is '\(name)', which limits nothing; known are \(known.joined(separator: ", "))")
    }
    self.problems = problems
  }

  private static func cpu(_ profiles: MeasuredProfiles) -> CPU {
    let text = OpenFile.contents(atPath: "/proc/cpuinfo").map { String(decoding: $0, as: UTF8.self) } ?? ""
    func field(_ names: String...) -> String? {
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2, names.contains(parts[0]) { return parts[1] }
      }
      return nil
    }
    // The CPU flags that kernels are written for.
    let known: Set<String> = [
      "sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16",
      "avx512_fp16", "amx_bf16",
      "amx_int8", "asimd", "fphp", "asimdhp", "asimddp", "bf16", "i8mm", "sve",
    ]
    let flags = (field("flags", "Features") ?? "").split(separator: " ").map(String.init).filter(known.contains)
    let cores = Processor.count
    return CPU(
      name: Processor.name, cores: cores, features: flags,
      instructionSet: String(cString: ck_isa_name(ck_isa_active())),
      peaks: (try? profiles.profile(of: ThreadPool(threads: cores), on: Processor.name)).map { Peaks($0) })
  }
}
