import CoreMLExecution
import MIL

extension Engine {
  /// Concrete types of the tensor inputs: unknown sizes are taken from the declared feature, or 1.
  func declaredTypes(_ description: MLModelDescription) -> [String: TensorType] {
    let features = description.inputDescriptionsByName
    return inputTypes.reduce(into: [:]) { result, input in
      let declared = features[input.key]?.multiArrayConstraint?.shape.map(\.intValue) ?? []
      let image = features[input.key]?.imageConstraint.map { [$0.pixelsHigh, $0.pixelsWide] } ?? []
      let rank = input.value.rank
      let shape = input.value.shape.enumerated().map { axis, size -> MIL.Dimension in
        if size.isKnown { return size }
        if declared.count == rank { return MIL.Dimension(max(declared[axis], 1)) }
        if image.count == 2, axis >= rank - 2 { return MIL.Dimension(max(image[axis - (rank - 2)], 1)) }
        return 1
      }
      result[input.key] = TensorType(input.value.scalar, shape)
    }
  }
}
