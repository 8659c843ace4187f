import Foundation

/// Options of one prediction.
open class MLPredictionOptions: NSObject {
  /// Runs the prediction on the CPU, whatever devices the model was loaded for. Prefer
  /// `MLModelConfiguration.computeUnits`, because the first prediction with this option prepares the model for the CPU.
  open var usesCPUOnly = false

  /// Multi-arrays and images to which the prediction writes its outputs, by feature name. Compare an output with its
  /// backing by identity to see whether the backing was used.
  ///
  /// The prediction throws if a backing has another kind, shape, size or pixel format than the output. Elements are
  /// converted to the element type of a multi-array. Names that are no outputs are ignored. A batch prediction ignores
  /// all backings.
  open var outputBackings: [String: Any] = [:]
}
