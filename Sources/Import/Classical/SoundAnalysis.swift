import CoreMLSpec
import Foundation
import MIL

struct SoundAnalysisImport {
  let program: FeatureProgram

  /// Computes the log-mel spectrogram of shape (1, 96, 64) from 15,600 samples at 16 kHz in -1 to 1: the front end of
  /// VGGish.
  ///
  /// The frames, window, transform length, frequencies and offset are those in SoundAnalysisPreprocessing.proto.
  /// Details that it does not specify follow VGGish's published front end (Hershey et al., arXiv:1609.09430, and
  /// AudioSet's parameters). A frame is padded with zeros at its end. Magnitudes, not powers, are summed. The bands are
  /// triangles on the scale 1127 ln(1 + f / 700).
  func add(_ message: CoreMLModels.SoundAnalysisPreprocessing) throws {
    switch try message.soundAnalysisPreprocessingType {
    case .vggish: try program.setOnly(vggish(program.onlyInput()))
    case nil: throw program.error("it names no kind of preprocessing")
    }
  }

  private func vggish(_ name: String) throws -> String {
    let type = try program.builder.tensorType(of: name)
    guard type.scalar != .string, (type.elementCount ?? MelSpectrogram.samples) == MelSpectrogram.samples else {
      throw program.error("the feature '\(name)' is \(type), expected \(MelSpectrogram.samples) samples")
    }
    let samples = try program.emit("cast", ["x": .name(name), "dtype": .string("fp32")])
    let vector = try program.emit("reshape", ["x": .name(samples), "shape": .ints([MelSpectrogram.samples])])
    let frames = try program.emit(
      "sliding_windows",
      ["x": .name(vector), "axis": .int(0), "size": .int(MelSpectrogram.frame), "stride": .int(MelSpectrogram.hop)])
    let real = try squared(frames, MelSpectrogram.transform(quarter: 0))
    let imaginary = try squared(frames, MelSpectrogram.transform(quarter: 1))
    let powers = try program.emit("add", ["x": .name(real), "y": .name(imaginary)])
    let magnitudes = try program.emit("sqrt", ["x": .name(powers)])
    let sums = try program.emit("linear", ["x": .name(magnitudes), "weight": .tensor(MelSpectrogram.bands)])
    let logarithms = try program.emit("log", ["x": .name(sums), "epsilon": .float(MelSpectrogram.offset)])
    return try program.emit("expand_dims", ["x": .name(logarithms), "axes": .ints([0])])
  }

  private func squared(_ frames: String, _ weight: Tensor) throws -> String {
    try program.emit("square", ["x": .name(program.emit("linear", ["x": .name(frames), "weight": .tensor(weight)]))])
  }
}

/// The constants of VGGish's front end.
enum MelSpectrogram {
  static let samples = 15600
  static let frame = 400
  static let hop = 160
  static let offset: Float = 0.01
  private static let rate = 16000.0
  private static let length = 512
  private static let bins = length / 2 + 1
  private static let bandCount = 64
  private static let frequencies = (low: 125.0, high: 7500.0)

  /// The window multiplied by one part of the Fourier transform, as weights (bins, frame). Quarter 0 is the real part.
  /// Quarter 1 is the imaginary part, which is shifted by a quarter of a period.
  static func transform(quarter: Int) -> Tensor {
    let turn = (0..<length).map { cos(2 * Double.pi * Double($0) / Double(length)) }
    let window = (0..<frame).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(frame)) }
    var weights: [Float] = []
    weights.reserveCapacity(bins * frame)
    for bin in 0..<bins {
      for sample in 0..<frame {
        weights.append(Float(window[sample] * turn[(bin * sample + quarter * length / 4) % length]))
      }
    }
    return Tensor(float32: weights, shape: [bins, frame])
  }

  /// The triangular bands as weights (bands, bins). The DC component has weight 0, because the lowest edge is above it.
  static var bands: Tensor {
    func mel(_ hertz: Double) -> Double { 1127 * log(1 + hertz / 700) }
    let low = mel(frequencies.low)
    let width = (mel(frequencies.high) - low) / Double(bandCount + 1)
    var weights: [Float] = []
    for band in 0..<bandCount {
      let centre = low + Double(band + 1) * width
      for bin in 0..<bins {
        let distance = abs(mel(Double(bin) * rate / Double(length)) - centre)
        weights.append(Float(max(0, 1 - distance / width)))
      }
    }
    return Tensor(float32: weights, shape: [bandCount, bins])
  }
}
