/// Feature types in `coreml_runtime`.
extension NamedFeature {
  /// The type of an input.
  var pythonInputType: String {
    switch kind {
    // Arrays: objects with DLPack, lists and numbers. Images: paths, bytes and pictures.
    case .multiArray, .state, .image: "Any"
    default: pythonType
    }
  }

  /// The type of an output.
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
