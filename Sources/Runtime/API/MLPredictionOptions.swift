import Foundation

/// Options of one prediction.
open class MLPredictionOptions: NSObject {
  /// Runs the prediction on the CPU, whatever devices the model was loaded for. `MLModelConfiguration.computeUnits` is to be
  /// preferred: the model is prepared for the CPU when the first such prediction asks for it.
  open var usesCPUOnly = false

  /// Multi-arrays and images that outputs are to be written to, by feature name. Test the output's identity to see whether it was.
  ///
  /// One that is not of the output's kind, shape, size or pixel format makes the prediction throw; numbers are converted to a
  /// multi-array's own type. Names of no output are passed over, and so are all backings of a batch.
  open var outputBackings: [String: Any] = [:]
}
