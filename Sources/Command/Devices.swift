import ArgumentParser
import CoreMLKernels
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
    /// Named devices of type CPU are for checking: they are never chosen by themselves.
    let chosenUnlessNamed: Bool
  }

  func run() throws {
    let list = OpenCLPlatformList.system
    var problems = list.problems.map { "\($0)" }
    let devices = list.devices.map { device in
      var features: [String: Bool] = [:]
      do {
        let probed = try OpenCLContext(device).features
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
        features: features,
        chosenUnlessNamed: device.kind == .gpu)
    }
    let listing = Listing(cpu: cpu(), openCL: devices, problems: problems)
    if json || !Console.outputIsTerminal {
      try Console.say(json: listing)
    } else {
      say(listing)
    }
  }

  private func say(_ listing: Listing) {
    var rows = [["ID", "KIND", "NAME", "DRIVER", "FEATURES"]]
    rows.append([
      listing.cpu.id, "cpu", listing.cpu.name, "\(listing.cpu.cores) cores",
      listing.cpu.features.joined(separator: " "),
    ])
    for device in listing.openCL {
      let features = device.features.filter(\.value).keys.sorted().joined(separator: " ")
      rows.append([device.id, device.kind, device.name, device.driver, features])
    }
    Console.say(Console.table(rows))
    if listing.openCL.isEmpty { Console.say("There is no OpenCL device.") }
    for problem in listing.problems { Console.say("Not usable: \(Console.oneLine(problem))") }
  }

  private func cpu() -> CPU {
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
    return CPU(
      name: field("model name") ?? "unknown", cores: ProcessInfo.processInfo.activeProcessorCount, features: flags)
  }
}
