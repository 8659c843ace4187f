import CoreMLImport
import MIL

extension MLModelStructure {
  /// The structure of a model's file: of a program the operations that it has here, of networks and pipelines what was kept of the file.
  init(_ model: ImportedModel) {
    let type = model.interface.modelType
    let function = model.program.functions["main"]
    if type == "mlProgram" {
      self = .program(Program(model.program))
    } else if let structure = function?.fileStructure, let function {
      self.init(structure, function.body.operations, of: "")
    } else {
      self = .unsupported
    }
  }

  /// `stage` is what the names of a model's parts begin with in the program of the pipeline around it, such as `0/`.
  private init(_ structure: FileStructure, _ operations: [MIL.Operation], of stage: String) {
    if let models = structure.models {
      let parts = Self.parts(operations, of: stage)
      self = .pipeline(
        Pipeline(
          subModelNames: models.enumerated().map { $0.element.name ?? "\($0.offset)" },
          subModels: models.enumerated().map {
            MLModelStructure($0.element, parts["\($0.offset)"] ?? [], of: "\(stage)\($0.offset)/")
          }))
    } else if let layers = structure.layers {
      self = .neuralNetwork(
        NeuralNetwork(
          layers: layers.map { layer in
            // A layer without a name is known by what it gives.
            let name = layer.name.isEmpty ? layer.outputs.first ?? "" : layer.name
            return NeuralNetwork.Layer(
              name: layer.name, type: layer.type, inputNames: layer.inputs, outputNames: layer.outputs,
              names: [stage + name])
          }))
    } else if structure.modelType == "mlProgram" {
      let own = operations.filter { $0.named.contains { $0.hasPrefix(stage) } }
      let block = Program.Block(MIL.Block(inputs: [], operations: own, outputs: own.last?.outputs.map(\.name) ?? []))
      self = .program(Program(functions: ["main": Program.Function(inputs: [], block: block)]))
    } else {
      self = .unsupported
    }
  }

  /// The operations of each model of a pipeline, in one walk: by what stands in their names between `stage` and the next slash.
  private static func parts(_ operations: [MIL.Operation], of stage: String) -> [String: [MIL.Operation]] {
    var parts: [String: [MIL.Operation]] = [:]
    for operation in operations {
      var own: Set<Substring> = []
      for name in operation.named where name.hasPrefix(stage) {
        let rest = name.dropFirst(stage.count)
        guard let end = rest.firstIndex(of: "/"), own.insert(rest[..<end]).inserted else { continue }
        parts[String(rest[..<end]), default: []].append(operation)
      }
    }
    return parts
  }
}
