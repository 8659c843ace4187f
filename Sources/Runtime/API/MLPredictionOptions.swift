import Foundation

/// Options of one prediction.
public class MLPredictionOptions: NSObject {
  public var usesCPUOnly = false
  /// Arrays that outputs are to be written to, by feature name. Test the output's identity to see whether it was.
  public var outputBackings: [String: Any] = [:]
}
