import CoreMLImport
import MIL

extension MLModelStructure {
  /// Creates the structure of a model file. For a program it lists the imported operations. For networks and pipelines
  /// it uses the structure kept from the file.
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

  /// - Parameter stage: the prefix of the names of a sub-model's parts in the program of the enclosing pipeline, for
  ///   example `0/`.
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
            // A layer without a name is identified by its first output.
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

  /// Groups the operations of a pipeline by model, in one pass. The key is the part of an operation's name between
  /// `stage` and the next slash.
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
