import CoreMLExecution
import CoreMLImport
import MIL

extension Engine {
  /// The concrete types of the tensor inputs. Unknown sizes are those of the declared shape, or 1.
  func declaredTypes(_ description: MLModelDescription, _ interface: ModelInterface) -> [String: TensorType] {
    let features = description.inputDescriptionsByName
    return inputTypes.reduce(into: [:]) { result, input in
      let rank = input.value.rank
      let shape = features[input.key]?.multiArrayConstraint?.shape.map(\.intValue) ?? []
      let declared = interface.mapped(shape, rank: rank) ?? []
      let image = features[input.key]?.imageConstraint.map { [$0.pixelsHigh, $0.pixelsWide] } ?? []
      let sizes = input.value.shape.enumerated().map { axis, size -> MIL.Dimension in
        if size.isKnown { return size }
        if declared.count == rank { return MIL.Dimension(max(declared[axis], 1)) }
        if image.count == 2, axis >= rank - 2 { return MIL.Dimension(max(image[axis - (rank - 2)], 1)) }
        return 1
      }
      result[input.key] = TensorType(input.value.scalar, sizes)
    }
  }
}

extension ModelInterface {
  /// Maps the shape of an array feature to the shape of the program's value. Returns nil if the model does not accept
  /// arrays of that rank.
  func mapped(_ shape: [Int], rank: Int) -> [Int]? {
    guard arrayMapping == .rank5, modelType != "mlProgram", rank == 5 else {
      return shape.isEmpty && rank == 1 ? [1] : shape
    }
    return switch shape.count {
    case 1: [1, 1, shape[0], 1, 1]
    case 3: [1, 1] + shape
    case 5: shape
    default: nil
    }
  }
}
