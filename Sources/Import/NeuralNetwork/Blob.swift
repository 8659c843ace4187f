import MIL

/// A NeuralNetwork blob: one value in up to two forms.
///
/// The format's image layers work on the last three axes (C, H, W) and take every axis before them as batch; MIL's work on exactly
/// (N, C, H, W). So a blob of rank 5 or more is kept merged while image layers follow one another, and gets its own rank back only when
/// another layer asks for it.
struct Blob {
  /// The value with the blob's own axes.
  var full: String?
  /// The value as (N, C, H, W), and the leading axes that N stands for.
  var merged: (name: String, lead: Lead)?

  /// The axes before C, H, W: the name of the int32 vector that holds their sizes. Two blobs with the same name have the same axes.
  struct Lead: Equatable {
    let sizes: String
    let rank: Int
  }
}
