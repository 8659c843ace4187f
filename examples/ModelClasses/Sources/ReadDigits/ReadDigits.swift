import CoreML

/// Reads the digits on images. The build generates `Digits` from `Digits.mlpackage` in this folder.
@main struct ReadDigits {
  static func main() throws {
    let digits = try Digits(configuration: MLModelConfiguration())
    for path in CommandLine.arguments.dropFirst() {
      let output = try digits.prediction(input: DigitsInput(imageAt: URL(filePath: path)))
      let probability = output.classLabel_probs[output.classLabel] ?? 0
      print("\(URL(filePath: path).lastPathComponent): \(output.classLabel) (\(probability))")
    }
  }
}
