import CoreMLServingInterface

/// Whether clients of one version of a model can use another.
enum InterfaceComparison {
  /// Why they cannot; nil if they can. New outputs and new optional inputs do no harm.
  static func difference(from old: ModelMetadata, to new: ModelMetadata) -> String? {
    func text(_ tensor: ModelMetadata.Tensor) -> String { "\(tensor.type.rawValue) \(tensor.shape)" }
    func changed(_ kind: String, _ old: [ModelMetadata.Tensor], _ new: [ModelMetadata.Tensor]) -> String? {
      for tensor in old {
        guard let other = new.first(where: { $0.name == tensor.name }) else {
          return "the \(kind) '\(tensor.name)' is missing"
        }
        guard other.type == tensor.type, accepts(other.shape, tensor.shape) else {
          return "the \(kind) '\(tensor.name)' is \(text(other)), it was \(text(tensor))"
        }
        guard !tensor.isOptional || other.isOptional else {
          return "the \(kind) '\(tensor.name)' is not optional any more"
        }
      }
      return nil
    }
    if let difference = changed("input", old.inputs, new.inputs) ?? changed("output", old.outputs, new.outputs) {
      return difference
    }
    for tensor in new.inputs where !tensor.isOptional && !old.inputs.contains(where: { $0.name == tensor.name }) {
      return "the input '\(tensor.name)' is new and not optional"
    }
    return old.isStateful == new.isStateful ? nil : "the model \(new.isStateful ? "keeps" : "no longer keeps") a state"
  }

  /// An open axis accepts any size.
  private static func accepts(_ shape: [Int], _ old: [Int]) -> Bool {
    shape.count == old.count && zip(shape, old).allSatisfy { $0 == -1 || $0 == $1 }
  }
}
