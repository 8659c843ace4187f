import MIL

/// A NeuralNetwork blob: one value in up to two forms.
///
/// The format's image layers operate on the last three axes (C, H, W) and treat all leading axes as the batch. MIL's
/// operate on exactly (N, C, H, W). So a blob of rank 5 or more stays merged between consecutive image layers. It is
/// reshaped to its own rank only when another layer needs that.
struct Blob {
  /// The value with the blob's own axes.
  var full: String?
  /// The value as (N, C, H, W), and the leading axes that are merged into N.
  var merged: (name: String, lead: Lead)?

  /// The axes before C, H, W: the name of the int32 vector with their sizes. Two blobs with the same name have the same
  /// leading axes.
  struct Lead: Equatable {
    let sizes: String
    let rank: Int
  }
}
