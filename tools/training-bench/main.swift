import CoreML
import FeatureFiles
import Foundation

// Times the epochs of an update task: training-bench MODEL.mlmodel ROWS.npz
// Prints {"epochs": [seconds], "losses": [..], "peakBytes": ..}; rows are the first axis of every array.

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: training-bench MODEL.mlmodel ROWS.npz\n".utf8))
  exit(2)
}

/// Rows of the arrays in an .npz file. Creates the features of a row on request.
final class Rows: MLBatchProvider {
  private let arrays: [String: NPYArray]
  private let descriptions: [String: MLFeatureDescription]
  let count: Int

  init(_ path: String, _ descriptions: [String: MLFeatureDescription]) throws {
    arrays = try NPZ.read(path).filter { descriptions[$0.key] != nil }
    self.descriptions = descriptions
    count = arrays.first?.value.shape.first ?? 0
  }

  func features(at index: Int) -> any MLFeatureProvider {
    var features: [String: MLFeatureValue] = [:]
    for (name, array) in arrays {
      let size = array.bytes.count / count
      let row = NPYArray(
        array.element, shape: array.shape.count == 1 ? [1] : Array(array.shape.dropFirst()),
        bytes: Array(array.bytes[index * size..<(index + 1) * size]))
      guard let description = descriptions[name] else { continue }
      // Omit a feature that cannot be converted; the update task then reports that it is missing.
      features[name] = try? FeatureConversion.feature(row, description)
    }
    return RowFeatures(features)
  }

  private final class RowFeatures: MLFeatureProvider {
    private let features: [String: MLFeatureValue]
    init(_ features: [String: MLFeatureValue]) { self.features = features }
    var featureNames: Set<String> { Set(features.keys) }
    func featureValue(for name: String) -> MLFeatureValue? { features[name] }
  }
}

// The peer trains on the CPU. Other compute units would load the drivers of further devices.
let configuration = MLModelConfiguration()
configuration.computeUnits = .cpuOnly
let url = try MLModel.compileModel(at: URL(filePath: arguments[1]))
let model = try MLModel(contentsOf: url, configuration: configuration)
let rows = try Rows(arguments[2], model.modelDescription.trainingInputDescriptionsByName)
let done = DispatchSemaphore(value: 0)
nonisolated(unsafe) var seconds: [Double] = []
nonisolated(unsafe) var losses: [Double] = []
nonisolated(unsafe) var begun = Date()
let handlers = MLUpdateProgressHandlers(
  forEvents: [.trainingBegin, .epochEnd],
  progressHandler: { context in
    if context.event == .epochEnd {
      seconds.append(Date().timeIntervalSince(begun))
      losses.append(context.metrics[.lossValue] as? Double ?? .nan)
    }
    begun = Date()
  },
  completionHandler: { context in
    if let error = context.task.error { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
    done.signal()
  })
let task = try MLUpdateTask(
  forModelAt: url, trainingData: rows, configuration: configuration, progressHandlers: handlers)
task.resume()
done.wait()
let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
let peak =
  status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
  .flatMap { Int($0.filter(\.isNumber)) } ?? 0
print("{\"epochs\": \(seconds), \"losses\": \(losses), \"peakBytes\": \(peak * 1024)}")
exit(task.error == nil ? 0 : 1)
