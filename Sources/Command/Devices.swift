import ArgumentParser
import CoreMLRuntime
import Foundation

struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "Lists the CPU and the OpenCL devices.")

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let listing = ProgressBar.during("Measuring the devices") { DeviceListing() }
    if json || !Console.outputIsTerminal {
      try Console.say(json: listing)
    } else {
      say(listing)
    }
  }

  private func say(_ listing: DeviceListing) {
    var rows = [["ID", "KIND", "NAME", "DRIVER", "PEAKS", "FEATURES"]]
    rows.append([
      listing.cpu.id, "cpu", listing.cpu.name, "\(listing.cpu.cores) cores", words(listing.cpu.peaks),
      "\(listing.cpu.instructionSet) of \(listing.cpu.features.joined(separator: " "))",
    ])
    for device in listing.openCL {
      let features = device.features.filter(\.value).keys.sorted().joined(separator: " ")
      rows.append([device.id, device.kind, device.name, device.driver, words(device.peaks), features])
    }
    Console.say(Console.table(rows))
    if listing.openCL.isEmpty { Console.say("There is no OpenCL device.") }
    for problem in listing.problems { Console.say("Not usable: \(Console.oneLine(problem))") }
  }

  private func words(_ peaks: DeviceListing.Peaks?) -> String {
    peaks.map { String(format: "%.1f Gflop/s, %.1f GB/s", $0.flops / 1e9, $0.bytesPerSecond / 1e9) } ?? ""
  }
}
