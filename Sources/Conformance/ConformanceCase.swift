import CoreML
import FeatureFiles
import Foundation

/// One case: a model, the inputs of its steps, and the output folder.
struct ConformanceCase {
  let folder: String
  let output: String
  var id: String { URL(filePath: folder).lastPathComponent }

  func run(_ configuration: MLModelConfiguration) throws {
    guard let data = FileManager.default.contents(atPath: "\(folder)/meta.json"),
      let meta = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    else { throw FeatureFileError(.unreadable, "\(folder)/meta.json cannot be read") }
    configuration.functionName = (meta["function_name"] as? String).flatMap { $0.isEmpty ? nil : $0 }
    let (url, temporary) = try compiled()
    defer { if let temporary { try? FileManager.default.removeItem(at: temporary) } }
    let model = try MLModel(contentsOf: url, configuration: configuration)
    let isMulti = meta["multi"] as? Bool ?? false
    let steps = meta["steps"] as? Int ?? 1
    let state = meta["stateful"] as? Bool == true ? model.makeState() : nil
    // The steps of other cases are independent of each other.
    let keepsStates = !model.modelDescription.stateDescriptionsByName.isEmpty
    for step in 0..<steps {
      let suffix = isMulti ? "_\(step)" : ""
      if let state { try writeState(state, suffix) }
      let input = try inputs(model.modelDescription, suffix)
      let stepState = keepsStates ? state ?? model.makeState() : state
      let result = try stepState.map { try model.prediction(from: input, using: $0) } ?? model.prediction(from: input)
      try write(result, suffix)
    }
    if let state, meta["read_states"] as? Bool == true {
      try writeState(state, "_\(steps)")
      try write(state)
    }
  }

  /// The compiled model, and its temporary folder if it was compiled here.
  private func compiled() throws -> (URL, URL?) {
    for name in ["model.mlpackage", "model.mlmodel"] {
      let source = URL(filePath: "\(folder)/\(name)")
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      let url = try MLModel.compileModel(at: source)
      return (url, url.deletingLastPathComponent())
    }
    return (URL(filePath: "\(folder)/model.mlmodelc"), nil)
  }

  private func inputs(_ description: MLModelDescription, _ suffix: String) throws -> any MLFeatureProvider {
    var features: [String: Any] = [:]
    func declared(_ name: String) throws -> MLFeatureDescription {
      guard let feature = description.inputDescriptionsByName[name] else {
        throw FeatureFileError(.invalid, "the model has no input '\(name)'")
      }
      return feature
    }
    let arrays = "\(folder)/inputs\(suffix).npz"
    if FileManager.default.fileExists(atPath: arrays) {
      features = try NPZ.read(arrays) { name, elements in try FeatureConversion.feature(elements, declared(name)) }
    }
    let values = "\(folder)/inputs\(suffix).json"
    if FileManager.default.fileExists(atPath: values) {
      for (name, value) in try ConformanceJSON.read(values) {
        features[name] = try ConformanceJSON.feature(value, declared(name), images: .files(relativeTo: folder))
      }
    }
    return try MLDictionaryFeatureProvider(dictionary: features)
  }

  private func writeState(_ state: MLState, _ suffix: String) throws {
    let path = "\(folder)/write_state\(suffix).npz"
    guard FileManager.default.fileExists(atPath: path) else { return }
    for (name, array) in try NPZ.read(path) {
      guard state.stateNames.contains(name) else {
        throw FeatureFileError(.invalid, "the model has no state '\(name)'")
      }
      try state.withMultiArray(for: name) { target in
        let values = array.doubles
        guard values.count == target.count else {
          throw FeatureFileError(.invalid, "the state '\(name)' has \(target.count) elements, the file \(values.count)")
        }
        for (index, value) in values.enumerated() { target[index] = NSNumber(value: value) }
      }
    }
  }

  /// Writes the state after the last step if the case requests it: `<id>_state.npz`.
  private func write(_ state: MLState) throws {
    let arrays = state.stateNames.map { name in
      (name: name, array: state.withMultiArray(for: name) { FeatureConversion.array($0) })
    }
    if !arrays.isEmpty { try NPZ.write(arrays, to: "\(output)/\(id)_state.npz") }
  }

  private func write(_ result: any MLFeatureProvider, _ suffix: String) throws {
    var arrays: [(name: String, array: NPYArray)] = []
    var values: [String: Any] = [:]
    for name in result.featureNames.sorted() {
      guard let value = result.featureValue(for: name) else { continue }
      if let array = value.multiArrayValue {
        arrays.append((name, FeatureConversion.array(array)))
      } else if let image = value.imageBufferValue {
        arrays.append((name, ImageFiles.array(image)))
      } else if let json = ConformanceJSON.json(value) {
        values[name] = json
      }
    }
    if !arrays.isEmpty { try NPZ.write(arrays, to: "\(output)/\(id)\(suffix).npz") }
    if !values.isEmpty {
      let data = try JSONSerialization.data(withJSONObject: values, options: [.sortedKeys])
      try data.write(to: URL(filePath: "\(output)/\(id)\(suffix).json"), options: .atomic)
    }
  }
}
