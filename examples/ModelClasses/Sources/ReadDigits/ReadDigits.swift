import CoreML

/// Names the digits on pictures. `Digits` is written by the build, of `Digits.mlpackage` beside this file.
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
