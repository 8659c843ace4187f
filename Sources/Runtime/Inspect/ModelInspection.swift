import CoreMLBase
import CoreMLExecution
import CoreMLImport
import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

/// A model at every stage between file and plan, for the command-line tool and for tests.
package struct ModelInspection {
  let model: ImportedModel
  private let functionName: String
  private let devices: DeviceChoice
  /// The limits for reading and planning.
  private let bounds: ModelLoadBounds

  /// Opens a model file, a package, or a model compiled by this project.
  package init(modelAt url: URL, configuration: MLModelConfiguration) throws {
    let bounds = try MLModelError.wrapping(.generic) { try configuration.bounds() }
    self.bounds = bounds
    (model, functionName, devices) = try MLModelError.wrapping(.generic) {
      let model = try bounds.loading {
        if case .compiled = try ModelLocation.open(url.path) { return try CompiledModelLoader.load(url.path) }
        return try ModelCompiler.source(url)
      }
      let name = try DescriptionReader(model.interface).functionName(configuration.functionName)
      return (model, name, try DeviceChoice(configuration.devices))
    }
  }

  /// The MIL text of the imported program, with all functions.
  package func programText() throws -> String { try inspecting { MILText.print(model.program.eliding()) } }

  /// The MIL text of the program that a compiled model contains.
  package func optimizedText() throws -> String {
    try inspecting { MILText.print(try ModelCompiler.optimised(model).program.eliding()) }
  }

  /// The operations of the imported program.
  package func structure() throws -> StructureReport {
    try inspecting { StructureReport(model.program, modelType: model.interface.modelType) }
  }

  private func inspecting<Result>(_ body: () throws -> Result) throws -> Result {
    try MLModelError.wrapping(.generic) { try bounds.loading("inspecting the model", body) }
  }

  /// The MIL text of one function as it is planned. The function is specialized to the declared shapes, split into
  /// regions if there are several devices, and fused for each device.
  package func specializedText() throws -> String {
    try inspecting {
      let engine = try engine()
      let regions = try engine.regions(for: defaultTypes(engine))
      return MILText.print(Program(functions: named(regions, engine)).eliding())
    }
  }

  /// The regions by name. A name consists of the function, the position in the execution order, and the device.
  private func named(_ regions: [Region], _ engine: Engine) -> [String: Function] {
    guard regions.count > 1 else {
      return Dictionary(uniqueKeysWithValues: regions.map { (functionName, $0.function) })
    }
    let digits = String(regions.count).count
    return Dictionary(
      uniqueKeysWithValues: regions.enumerated().map { number, region in
        let place = String(repeating: "0", count: digits - String(number).count) + "\(number)"
        return ("\(functionName)_\(place)_\(engine.devices.devices[region.device].kind.rawValue)", region.function)
      })
  }

  /// The plan for the declared shapes. Flexible sizes have their default value.
  package func plan() throws -> PlanReport {
    try inspecting {
      let engine = try engine()
      return PlanReport(try engine.plan(for: defaultTypes(engine)), function: functionName)
    }
  }

  private func engine() throws -> Engine {
    guard let function = try ModelCompiler.optimised(model).program.functions[functionName] else {
      throw RuntimeError(.invalidModel, "the model has no function '\(functionName)'")
    }
    return Engine(function: try ApplicationCode.bound(function), devices: devices)
  }

  private func defaultTypes(_ engine: Engine) throws -> [String: TensorType] {
    engine.declaredTypes(
      try DescriptionReader(model.interface).description(function: functionName), model.interface)
  }
}

extension Program {
  /// The program for display: large constants are replaced by references.
  fileprivate func eliding() -> Program {
    var program = self
    for name in program.functions.keys { program.functions[name]?.body.operations.elide() }
    return program
  }
}

extension [MIL.Operation] {
  /// Constants with more elements than this are not printed.
  private static var elementLimit: Int { 32 }

  fileprivate mutating func elide() {
    for index in indices {
      for (parameter, bindings) in self[index].inputs {
        self[index].inputs[parameter] = bindings.map { binding in
          guard case .literal(.tensor(let tensor)) = binding, tensor.count > Self.elementLimit,
            tensor.storage.origin == nil,
            tensor.scalar != .string
          else { return binding }
          let storage = TensorStorage(
            borrowing: tensor.storage.pointer, byteCount: tensor.byteCount, owner: tensor.storage,
            origin: BlobReference(path: "@model_path/(\(tensor.byteCount) bytes in the model file)", offset: 0))
          return (try? Tensor(tensor.scalar, shape: tensor.shape, storage: storage)).map { .literal(.tensor($0)) }
            ?? binding
        }
      }
      for block in self[index].blocks.indices { self[index].blocks[block].operations.elide() }
    }
  }
}
