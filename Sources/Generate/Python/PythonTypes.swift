/// Types of features as `coreml_runtime` takes and gives them.
extension NamedFeature {
  /// What may be given.
  var pythonInputType: String {
    switch kind {
    // Whatever has DLPack, lists and numbers; paths, bytes and pictures.
    case .multiArray, .state, .image: "Any"
    default: pythonType
    }
  }

  /// What comes out.
  var pythonType: String {
    switch kind {
    case .int64: "int"
    case .double: "float"
    case .string: "str"
    case .image: "Any"
    case .multiArray, .state: "numpy.ndarray"
    case .dictionary(.string): "Dict[str, float]"
    case .dictionary(.int64): "Dict[int, float]"
    case .sequence(.string): "List[str]"
    case .sequence(.int64): "List[int]"
    }
  }
}
