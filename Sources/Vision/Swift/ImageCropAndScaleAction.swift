/// How an image is fitted to the size of a model's input.
///
/// Each action equals an option of the older interface.
public enum ImageCropAndScaleAction: CaseIterable, Codable, Hashable, Sendable {
  /// Scales the shorter side to fit, and crops the longer side to its center.
  case centerCrop
  /// Scales the longer side to fit, and fills the rest with black.
  case scaleToFit
  /// Stretches the image to the size.
  case scaleToFill
  /// As `scaleToFit`, after a rotation by 90 degrees counterclockwise.
  case scaleToFitPlus90CCWRotation
  /// As `scaleToFill`, after a rotation by 90 degrees counterclockwise.
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
