import ArgumentParser
import CoreML
import FeatureFiles
import Foundation

/// Runs conformance cases through the public API. It reads case folders from standard input, one path per line, and
/// writes the outputs of each case or an error message.
@main struct Conformance: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance", abstract: "Predicts conformance cases; reads their folders on standard input.")

  @Option(help: "The processors that models may use: all, cpuOnly, cpuAndGPU, cpuAndNeuralEngine.")
  var computeUnits = "cpuOnly"
  @Option(help: "The id of an OpenCL device, as `runtime devices` lists them.")
  var device: String?
  @Option(help: "Threads of one prediction.")
  var threads: Int?
  @Flag(help: "Leaves operations unfused, to check the fusions.")
  var noFusion = false
  @Option(
    help:
      "The index of the kernel that runs an operation, among the CPU kernels that accept it, cheapest first (modulo their number)."
  )
  var row: Int?
  @Argument(help: "The folder that outputs are written to.")
  var output: String

  func run() throws {
    let units: MLComputeUnits
    switch computeUnits {
    case "all": units = .all
    case "cpuOnly": units = .cpuOnly
    case "cpuAndGPU": units = .cpuAndGPU
    case "cpuAndNeuralEngine": units = .cpuAndNeuralEngine
    default: throw ValidationError("--compute-units is '\(computeUnits)'")
    }
    if let row, row < 0 { throw ValidationError("--row is \(row)") }
    while let line = readLine() {
      let folder = line.trimmingCharacters(in: .whitespaces)
      guard !folder.isEmpty else { continue }
      let configuration = MLModelConfiguration()
      configuration.computeUnits = units
      configuration.preferredOpenCLDevice = device
      configuration.threads = threads
      configuration.allowsFusion = !noFusion
      configuration.forcedKernel = row
      let test = ConformanceCase(folder: folder, output: output)
      do { try test.run(configuration) } catch {
        let sentence = (error as? MLModelError)?.message ?? "\(error)"
        _ = FileManager.default.createFile(atPath: "\(output)/\(test.id).err", contents: Data((sentence + "\n").utf8))
      }
    }
  }
}
