/// How an image of one size becomes one of the size that a model takes.
///
/// Each action does what the option of the older interface does.
public enum ImageCropAndScaleAction: CaseIterable, Codable, Hashable, Sendable {
  /// Scales the image until its shorter side fits, and takes the middle of the longer one.
  case centerCrop
  /// Scales the image until its longer side fits. The rest is black.
  case scaleToFit
  /// Stretches the image to the size.
  case scaleToFill
  /// As `scaleToFit`, turned by 90 degrees counterclockwise before.
  case scaleToFitPlus90CCWRotation
  /// As `scaleToFill`, turned by 90 degrees counterclockwise before.
  case scaleToFillPlus90CCWRotation

  var option: VNImageCropAndScaleOption {
    switch self {
    case .centerCrop: .centerCrop
    case .scaleToFit: .scaleFit
    case .scaleToFill: .scaleFill
    case .scaleToFitPlus90CCWRotation: .scaleFitRotate90CCW
    case .scaleToFillPlus90CCWRotation: .scaleFillRotate90CCW
    }
  }
}
