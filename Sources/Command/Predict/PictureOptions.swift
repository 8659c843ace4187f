import ArgumentParser
import CoreML

/// How pictures are converted to an image input.
struct PictureOptions: ParsableArguments {
  /// The same names as in Python.
  enum Fit: String, ExpressibleByArgument, CaseIterable {
    case fill, crop, fit

    var value: ImageCropAndScale {
      switch self {
      case .fill: .scaleFill
      case .crop: .centerCrop
      case .fit: .scaleFit
      }
    }
  }

  /// Fractions of the upright picture, from its top left corner.
  struct Part: ExpressibleByArgument {
    let rectangle: CGRect

    init?(argument: String) {
      let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2], let height = numbers[3],
        x >= 0, y >= 0, width > 0, height > 0, x + width <= 1, y + height <= 1
      else { return nil }
      rectangle = CGRect(x: x, y: y, width: width, height: height)
    }
  }

  @Option(
    help:
      "How images of another aspect ratio are fitted to the input: stretched (fill), cropped to the center (crop), or padded with black (fit)."
  )
  var fit: Fit?
  @Option(
    help: ArgumentHelp(
      "Use a part of each image: fractions from 0 to 1 of the upright image, from its top left corner.",
      valueName: "x,y,width,height"))
  var crop: Part?

  /// Nil if no option is given.
  var options: [MLFeatureValue.ImageOption: Any]? {
    var options: [MLFeatureValue.ImageOption: Any] = [:]
    if let fit { options[.cropAndScale] = fit.value }
    if let crop { options[.cropRect] = crop.rectangle }
    return options.isEmpty ? nil : options
  }

  /// The options that results depend on.
  var told: [String: String] {
    var told: [String: String] = [:]
    if let fit { told["--fit"] = fit.rawValue }
    if let rectangle = crop?.rectangle {
      told["--crop"] = [rectangle.minX, rectangle.minY, rectangle.width, rectangle.height].map { "\($0)" }
        .joined(separator: ",")
    }
    return told
  }
}
