import ArgumentParser
import CoreMLKernels
import CoreMLRuntime
import Foundation

struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists the CPU and the OpenCL devices.")

  @Flag(help: "Print JSON.")
  var json = false

  private struct Listing: Encodable {
    let cpu: CPU
    let openCL: [Device]
    let problems: [String]
  }

  private struct CPU: Encodable {
    let id = "cpu"
    let name: String
    let kind = "cpu"
    let cores: Int
    let features: [String]
    let peaks: Peaks?
  }

  /// What was measured: once a device, then kept in the cache.
  private struct Peaks: Encodable {
    let flops: Double
    let bytesPerSecond: Double
    let launchSeconds: Double
    let transferBytesPerSecond: Double?
    let transferSeconds: Double?

    init(_ profile: DeviceProfile) {
      flops = profile.peakFlops
      bytesPerSecond = profile.bandwidth
      launchSeconds = profile.launch
      transferBytesPerSecond = profile.transferBandwidth.isFinite ? profile.transferBandwidth : nil
      transferSeconds = profile.transferBandwidth.isFinite ? profile.transferLatency : nil
    }

    var words: String { String(format: "%.1f Gflop/s, %.1f GB/s", flops / 1e9, bytesPerSecond / 1e9) }
  }

  private struct Device: Encodable {
    let id: String
    let name: String
    let vendor: String
    let kind: String
    let driver: String
    let platform: String
    let computeUnits: Int
    let memoryBytes: Int
    let features: [String: Bool]
    let peaks: Peaks?
    /// Named devices of type CPU are for checking: they are never chosen by themselves.
    let chosenUnlessNamed: Bool
  }

  func run() throws {
    let list = OpenCLPlatformList.system
    var problems = list.problems.map { "\($0)" }
    let profiles = MeasuredProfiles(directory: RuntimePlaces.folder("profiles"))
    let devices = list.devices.map { device in
      var features: [String: Bool] = [:]
      var peaks: Peaks?
      do {
        let context = try OpenCLContext(device, cacheDirectory: RuntimePlaces.folder("programs"))
        peaks = try Peaks(profiles.profile(of: context))
        let probed = context.features
        features = [
          "halfArithmetic": probed.halfArithmetic, "inlinePTX": probed.inlinePTX, "tensorCores": probed.tensorCores,
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
    let listing = Listing(cpu: cpu(profiles), openCL: devices, problems: problems)
    if json || !Console.outputIsTerminal {
      try Console.say(json: listing)
    } else {
      say(listing)
    }
  }

  private func say(_ listing: Listing) {
    var rows = [["ID", "KIND", "NAME", "DRIVER", "PEAKS", "FEATURES"]]
    rows.append([
      listing.cpu.id, "cpu", listing.cpu.name, "\(listing.cpu.cores) cores", listing.cpu.peaks?.words ?? "",
      listing.cpu.features.joined(separator: " "),
    ])
    for device in listing.openCL {
      let features = device.features.filter(\.value).keys.sorted().joined(separator: " ")
      rows.append([device.id, device.kind, device.name, device.driver, device.peaks?.words ?? "", features])
    }
    Console.say(Console.table(rows))
    if listing.openCL.isEmpty { Console.say("There is no OpenCL device.") }
    for problem in listing.problems { Console.say("Not usable: \(Console.oneLine(problem))") }
  }

  private func cpu(_ profiles: MeasuredProfiles) -> CPU {
    let text = FileManager.default.contents(atPath: "/proc/cpuinfo").map { String(decoding: $0, as: UTF8.self) } ?? ""
    func field(_ names: String...) -> String? {
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2, names.contains(parts[0]) { return parts[1] }
      }
      return nil
    }
    // Those that kernels are written for.
    let known: Set<String> = [
      "sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16",
      "avx512_fp16", "amx_bf16",
      "amx_int8", "asimd", "fphp", "asimdhp", "asimddp", "bf16", "i8mm", "sve",
    ]
    let flags = (field("flags", "Features") ?? "").split(separator: " ").map(String.init).filter(known.contains)
    let cores = Processor.count
    return CPU(
      name: Processor.name, cores: cores, features: flags,
      peaks: (try? profiles.profile(of: ThreadPool(threads: cores), on: Processor.name)).map { Peaks($0) })
  }
}
