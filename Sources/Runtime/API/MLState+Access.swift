import CoreMLBase
import MIL

extension MLState {
  /// Returns a copy of the state's current contents.
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

  /// Overwrites a state. The array must have the state's shape; its elements are converted to the state's type.
  package func write(_ name: String, from array: MLMultiArray) throws {
    try MLModelError.wrapping(.generic) {
      try exclusively { buffers in
        // Checked before the elements are copied: an array with strides of 0 may be far larger than its memory.
        try buffers.require(name, takes: array.layout.shape)
        try buffers.write(name, from: array.tensor(as: array.dataType.scalar))
      }
    }
  }
}
