import CoreMLExecution
import CoreMLImport
import CoreMLKernels
import CoreMLSpec
import MIL

/// What this runtime supports. The list is derived from the tables that the runtime itself uses, so it cannot
/// contradict them.
///
/// The members of each format come from its schema (`OneOf...members`, `FormatOperations`), so unsupported members are
/// listed too.
package struct Support: Sendable, Encodable {
  /// A member of a model format.
  package struct Feature: Sendable, Encodable {
    package let name: String
    package let runs: Bool
    /// The supported variants, or the reason why it is not supported.
    package let remark: String
  }

  package struct Operation: Sendable, Encodable {
    package let name: String
    /// The opset that introduced the operation, then those that changed it; empty for an operation of this runtime
    /// only.
    package let opsets: [String]
    package let runs: Bool
    /// Whether there is a reference implementation, against which every kernel is tested.
    package let reference: Bool
    /// The number of kernels besides the reference implementation.
    package let cpuKernels: Int
    package let openCLKernels: Int
    /// Whether training can differentiate the operation.
    package let gradient: Bool
    /// The part of the runtime that computes an operation without kernels.
    package let remark: String
  }

  package struct DataType: Sendable, Encodable {
    /// The name in MIL text.
    package let name: String
    package let runs: Bool
    /// The type of its bytes in a weight file.
    package let storedAs: String
    /// The type in which the CPU computes an addition, and the kernel for it.
    package let calculatedIn: String
    package let kernel: String
  }

  package let specificationVersions: [Int]
  package let opsets: [String]
  package internal(set) var containers: [Feature]
  package internal(set) var modelTypes: [Feature]
  package internal(set) var featureTypes: [Feature]
  package internal(set) var preprocessors: [Feature]
  package internal(set) var layers: [Feature]
  package internal(set) var activations: [Feature]
  /// The known layer types of networks compiled by Apple's tools.
  package internal(set) var compiledLayers: [Feature]
  package internal(set) var operations: [Operation]
  /// Operations that the format does not have. Layers, classical models and passes are translated to them.
  package internal(set) var ownOperations: [Operation]
  package internal(set) var dataTypes: [DataType]

  package init() throws {
    specificationVersions = ModelFile.specificationVersions.map(Int.init)
    opsets = Opset.allCases.map { "\($0)" }
    containers = Self.containers()
    modelTypes = Specification.Model.OneOfType.members.map { member in
      Feature(
        member.name, remark: Self.modelRemarks[member.name] ?? "", refusal: RefusedTypes.reason(member.name))
    }
    featureTypes = Self.features()
    preprocessors = Specification.NeuralNetworkPreprocessing.OneOfPreprocessor.members.map { Feature($0.name) }
    layers = Specification.NeuralNetworkLayer.OneOfLayer.members.map { member in
      if case .custom = member.empty { return Feature(member.name, remark: Self.coded) }
      return Feature(member.name)
    }
    activations = Specification.ActivationParams.OneOfNonlinearityType.members.map { Feature($0.name) }
    compiledLayers = EspressoLayers.types.map { Feature($0, remark: Self.compiledLayerRemarks[$0] ?? "") }
    operations = FormatOperations.opsets.keys.sorted().map { Operation($0) }
    ownOperations = Operations.all.keys.filter { FormatOperations.opsets[$0] == nil }.sorted().map { Operation($0) }
    dataTypes = try MILSpec.DataType.allCases.filter { $0 != .unusedType }.map { try DataType($0) }
  }

  static let coded = "with the class that the application registers"

  // MARK: containers

  private static func containers() -> [Feature] {
    [Feature(".mlmodel"), Feature(".mlpackage")]
      + CompiledModel.Kind.all.map { kind in
        Feature(".mlmodelc, \(words(kind))", remark: remark(of: kind), refusal: kind.refusal)
      }
  }

  private static func words(_ kind: CompiledModel.Kind) -> String {
    switch kind {
    case .own: "compiled by this runtime"
    case .appleProgram: "compiled by Apple's tools: ML program"
    case .appleNeuralNetwork: "compiled by Apple's tools: neural network"
    case .applePipeline: "compiled by Apple's tools: pipeline"
    case .appleOther: "compiled by Apple's tools: other model types"
    case .appleEncrypted: "compiled by Apple's tools: encrypted"
    }
  }

  // MARK: features

  private static func features() -> [Feature] {
    Specification.FeatureType.OneOfType.members.map { Feature($0.name, remark: forms($0.empty)) }
  }

  private static func forms(_ type: Specification.FeatureType.OneOfType) -> String {
    func list(_ words: [String]) -> String { words.joined(separator: ", ") }
    switch type {
    case .imageType:
      return "colour spaces "
        + list(Specification.ImageFeatureType.ColorSpace.allCases.filter { $0 != .invalidColorSpace }.map { "\($0)" })
    case .multiArrayType:
      return "of "
        + list(
          Specification.ArrayFeatureType.ArrayDataType.allCases.filter { $0 != .invalidArrayDataType }.map { "\($0)" })
    case .dictionaryType:
      return "keys " + list(Specification.DictionaryFeatureType.OneOfKeyType.members.map(\.name))
    case .sequenceType: return "of " + list(Specification.SequenceFeatureType.OneOfType.members.map(\.name))
    case .stateType: return "of ML programs"
    case .int64Type, .doubleType, .stringType: return ""
    }
  }
}

extension Support.Feature {
  init(_ name: String, remark: String = "", refusal: String? = nil) {
    self.init(name: name, runs: refusal == nil, remark: refusal ?? remark)
  }
}

extension Support.Operation {
  init(_ name: String) {
    let other = Self.other(name)
    self.init(
      name: name, opsets: FormatOperations.opsets[name] ?? [],
      runs: Operations.all[name] != nil && (KernelRegistry.computes(name) || other != nil),
      reference: References.all[name] != nil, cpuKernels: Self.kernels(name, .cpu),
      openCLKernels: Self.kernels(name, .openCL), gradient: Gradients.has(name), remark: other ?? "")
  }

  /// The part of the runtime that computes an operation without kernels.
  private static func other(_ name: String) -> String? {
    if Interpreter.controlFlow.contains(name) { return "its blocks are run" }
    if Planner.stateOperations.contains(name) { return "copied when a plan runs" }
    return CustomOperations.codedByApplications.contains(name) ? Support.coded : nil
  }

  private static func kernels(_ name: String, _ device: DeviceKind) -> Int {
    KernelRegistry.implementations(for: name, on: device).count { $0.name != "reference" }
  }
}

extension Support.DataType {
  init(_ type: MILSpec.DataType) throws {
    guard let scalar = ProgramValues.scalar(type) else {
      self.init(name: "\(type)", runs: false, storedAs: "", calculatedIn: "", kernel: "")
      return
    }
    let addition = try Self.addition(of: scalar)
    self.init(
      name: scalar.rawValue, runs: true, storedAs: BlobDataType(scalar).map { "\($0)" } ?? "",
      calculatedIn: addition?.type ?? "", kernel: addition?.kernel ?? "")
  }

  /// The kernel in the CPU's plan of `x + x`; nil for element types that cannot be added.
  private static func addition(of scalar: ScalarType) throws -> (type: String, kernel: String)? {
    guard scalar.isFloat || scalar.isInteger else { return nil }
    var builder = Builder()
    let x = builder.input("x", .tensor(TensorType(scalar, [2])))
    let outputs = try builder.add("add", ["x": [.name(x)], "y": [.name(x)]], named: ["y"])
    var body = builder.block(outputs: outputs)
    body.inputs = []
    let function = Function(inputs: builder.inputs, opset: Opset.iOS26.rawValue, body: body)
    let engine = Engine(function: function, devices: DeviceChoice(threads: 1))
    guard let step = try engine.plan(for: engine.inputTypes).steps.first(where: { $0.choice.operation.type == "add" }),
      let type = step.choice.operation.outputs.first?.type.tensor
    else { return nil }
    return (type.scalar.rawValue, step.choice.kernel)
  }
}
