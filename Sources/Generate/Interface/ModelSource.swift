import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation

/// A model's description, and the parts of the model that were requested.
struct ModelSource {
  let description: Specification.ModelDescription
  let specificationVersion: Int
  let isUpdatable: Bool
  /// The name of the model type's field in the specification, such as `mlProgram`.
  let modelType: String
  /// The file of a model that is not compiled, if the program was not read.
  let file: ModelFile?
  private let model: ImportedModel?

  /// - Parameter whole: Whether to read the program too. A compiled model's program is always read, unless it cannot
  ///   run here and `whole` is false.
  init(_ url: URL, whole: Bool) throws {
    try ModelBounds.requireSize(url.path)
    switch try ModelLocation.open(url.path) {
    case .file(let file) where !whole: try self.init(file)
    case .package(let package) where !whole: try self.init(package.file)
    case .compiled(let compiled):
      do { self.init(try CompiledModelLoader.load(url.path)) } catch let error as RuntimeError
        where !whole && error.code == .closedModelType
      {
        self.init(try AppleInterface(folder: compiled.path))
      }
    case .file, .package: self.init(try ModelCompiler.source(url))
    }
  }

  private init(_ file: ModelFile) throws {
    description = try file.model.description ?? Specification.ModelDescription()
    specificationVersion = Int(file.specificationVersion)
    isUpdatable = try file.model.isUpdatable
    modelType = try file.model.type.flatMap(OperationNames.member) ?? "unknown"
    self.file = file
    model = nil
  }

  private init(_ interface: AppleInterface) {
    description = Specification.ModelDescription(Message(interface.description))
    specificationVersion = interface.specificationVersion
    isUpdatable = false
    modelType = interface.modelType ?? "unknown"
    file = nil
    model = nil
  }

  private init(_ model: ImportedModel) {
    description = Specification.ModelDescription(Message(model.interface.description))
    specificationVersion = model.interface.specificationVersion
    isUpdatable = model.interface.isUpdatable
    modelType = model.interface.modelType
    file = nil
    self.model = model
  }

  /// The labels of the function's classifier; nil if it is not a classifier, or the program was not read.
  func labels(of function: ModelFunction) -> ModelLabels? {
    guard let labels = model?.program.functions[function.name]?.classLabels(of: function.predicted) else { return nil }
    let strings = labels.compactMap { $0 as? String }
    if !strings.isEmpty, strings.count == labels.count { return .strings(strings) }
    let integers = labels.compactMap { $0 as? Int64 }
    return !integers.isEmpty && integers.count == labels.count ? .integers(integers) : nil
  }
}
