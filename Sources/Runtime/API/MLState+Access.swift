import CoreMLBase
import MIL

extension MLState {
  /// A copy of a state as it is now.
  package func read(_ name: String) throws -> MLMultiArray {
    try MLModelError.wrapping(.generic) {
      try exclusively { buffers in
        let tensor = try buffers.read(name)
        guard let type = MLMultiArrayDataType(tensor.scalar) else {
          throw RuntimeError(.unsupported, "the state '\(name)' is \(tensor.type), which no multi-array can be")
        }
        return try MLMultiArray(tensor, as: type)
      }
    }
  }

  /// Overwrites a state; the array must have its shape, and is converted to its type.
  package func write(_ name: String, from array: MLMultiArray) throws {
    try MLModelError.wrapping(.generic) {
      try exclusively { buffers in
        // Before the array is laid out: with strides of 0 it may be far larger than its memory.
        try buffers.require(name, takes: array.layout.shape)
        try buffers.write(name, from: array.tensor(as: array.dataType.scalar))
      }
    }
  }
}
