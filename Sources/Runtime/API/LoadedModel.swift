import CoreMLBase
import CoreMLExecution
import CoreMLImport
import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

/// Everything that a prediction needs of a loaded model. Immutable after loading.
// Sendable: immutable after initialization, except `knownRows`, which a lock guards; the engine does its own locking
final class LoadedModel: @unchecked Sendable {
  let description: MLModelDescription
  let engine: Engine
  let interface: ModelInterface
  /// Names of the image features that the model reads as BGR.
  let blueFirst: Set<String>
  /// Names of the inputs that a caller may omit because the model has default values, whatever their description says.
  let defaultedInputs: Set<String>
  /// How each output of the program becomes a feature.
  let outputBindings: [String: OutputBinding]
  /// A private copy of the configuration.
  let configuration: MLModelConfiguration
  /// The limits in force when the model was loaded.
  let limits: RuntimeLimits
  /// The application's code, if the model is a custom model.
  let customModel: CustomModelCode?
  private let rowLock = NSLock()
  /// The outer nil means: not computed yet.
  private var knownRows: TabularFeatures??
  /// Released last, after the engine's memory has been freed.
  private let memory = MemoryReturn()

  /// The fast path for tabular examples (rows); nil for a model that does not support it.
  var rows: TabularFeatures? {
    rowLock.lock()
    defer { rowLock.unlock() }
    if let knownRows { return knownRows }
    do {
      let made = try TabularFeatures(
        engine, description, interface, outputBindings, timeLimit: limits.predictionTime)
      knownRows = .some(made)
      return made
    } catch {
      // The regular path reports the error. The next prediction tries again.
      return nil
    }
  }

  /// The engine for a prediction with `usesCPUOnly`.
  var cpuEngine: Engine { engine.onCPU }

  /// - Parameter folder: the folder that contains the model; linked models are searched beside the model.
  init(_ given: ImportedModel, configuration: MLModelConfiguration, in folder: URL? = nil) throws {
    let settings = configuration.copied
    let model = try Self.linked(given, settings, folder)
    self.configuration = settings
    interface = model.interface
    let bounds = try MLModelError.wrapping(.generic, inputs: .generic) { try settings.bounds() }
    limits = bounds.limits
    (description, blueFirst, engine) = try MLModelError.wrapping(.generic, inputs: .generic) {
      let reader = try DescriptionReader(model.interface)
      let name = try reader.functionName(settings.functionName)
      guard let function = model.program.functions[name] else {
        throw RuntimeError(
          .invalidModel, "the model has no function '\(name)'; it has \(model.program.functions.keys.sorted())")
      }
      let devices = try DeviceChoice(settings.devices)
      return try bounds.loading {
        (
          try reader.description(function: name, labels: function.classLabels(of:)), try reader.blueFirst(),
          Engine(
            function: try ApplicationCode.bound(
              function.configured(settings.parameters, allowed: model.interface.updateParameters)),
            devices: devices, weights: WeightStore(model),
            maximumPlans: settings.optimizationHints.reshapeFrequency == .infrequent ? 2 : 8)
        )
      }
    }
    defaultedInputs = Set(engine.function.defaultedInputs)
    for name in defaultedInputs { description.inputDescriptionsByName[name]?.hasDefault = true }
    let (interface, blueFirst) = (interface, blueFirst)
    let isFlexible = description.inputDescriptionsByName.values.contains(where: \.hasFlexibleSize)
    outputBindings = description.outputDescriptionsByName.mapValues {
      OutputBinding(
        description: $0, interface: interface, isBGR: blueFirst.contains($0.name), isFlexible: isFlexible)
    }
    let operations = interface.modelType == "customModel" ? engine.function.body.operations : []
    customModel = operations.lazy.compactMap { $0.code as? CustomModelCode }.first
    if settings.optimizationHints.specializationStrategy == .fastPrediction { try prepare() }
  }

  /// Plans for the declared shapes and packs the weights now, so that the first prediction does not have to.
  private func prepare() throws {
    try MLModelError.wrapping(.generic) {
      try KernelTimings.$isOpening.withValue(true) {
        try limits.loading("preparing the model") {
          _ = try engine.plan(for: engine.declaredTypes(description, interface))
        }
      }
    }
  }

  /// Returns the model with the linked model that the parameters name.
  private static func linked(
    _ model: ImportedModel, _ settings: MLModelConfiguration, _ folder: URL?
  ) throws -> ImportedModel {
    func text(_ key: MLParameterKey) throws -> String? {
      guard let value = settings.parameters?.first(where: { $0.key.name == key.name })?.value else { return nil }
      guard let text = (value as? String) ?? (value as? URL)?.path else {
        throw MLModelError(.parameters, "the parameter '\(key)' is \(value), expected a string")
      }
      return text
    }
    let (file, path) = (try text(.linkedModelFileName), try text(.linkedModelSearchPath))
    guard file != nil || path != nil else { return model }
    guard let folder else {
      throw MLModelError(.parameters, "a model from memory has no folder beside which a linked model could be")
    }
    return try MLModelError.wrapping(.parameters, inputs: .parameters) {
      try model.relinked(to: file, in: path, beside: folder.path)
    }
  }
}
