import CoreML
import Foundation

/// Inputs that are equal in all processes, and exact texts of the outputs.
struct Questions: Sendable {
  static let count = 4
  private let images: [URL]

  init(images folder: URL) throws {
    images = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "png" }.sorted { $0.path < $1.path }
    guard images.count >= Self.count else { throw CocoaError(.fileReadNoSuchFile) }
  }

  /// Returns the input with a number, for any model.
  func input(_ number: Int, for model: MLModel) throws -> any MLFeatureProvider {
    var values: [String: Any] = [:]
    for (name, description) in model.modelDescription.inputDescriptionsByName {
      if let constraint = description.imageConstraint {
        values[name] = try MLFeatureValue(imageAt: images[number % images.count], constraint: constraint)
      } else if let constraint = description.multiArrayConstraint {
        let array = try MLMultiArray(shape: constraint.shape, dataType: .float32)
        array.withUnsafeMutableBytes { bytes, _ in
          for (index, _) in bytes.bindMemory(to: Float.self).enumerated() {
            let step = (index &* 2_654_435_761 &+ number &* 40_503) & 0xFFFF
            bytes.storeBytes(of: Float(step) / 32_768 - 1, toByteOffset: index * 4, as: Float.self)
          }
        }
        values[name] = MLFeatureValue(multiArray: array)
      }
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }

  func answers(of model: MLModel) throws -> [String] {
    try (0..<Self.count).map { Self.text(of: try model.prediction(from: input($0, for: model))) }
  }

  /// Returns all outputs as text, bit for bit.
  static func text(of output: any MLFeatureProvider) -> String {
    output.featureNames.sorted().map { name in
      guard let value = output.featureValue(for: name) else { return "\(name): nothing" }
      if let array = value.multiArrayValue {
        return "\(name): \(array.shape) \(array.withUnsafeBytes(digest))"
      }
      if !value.dictionaryValue.isEmpty {
        let pairs = value.dictionaryValue.map { "\($0.key)=\(String($0.value.doubleValue.bitPattern, radix: 16))" }
        return "\(name): \(pairs.sorted().joined(separator: ","))"
      }
      return "\(name): \(value.stringValue) \(value.int64Value) \(value.doubleValue.bitPattern)"
    }.joined(separator: "; ")
  }

  /// Computes an FNV-1a hash.
  private static func digest(_ bytes: UnsafeRawBufferPointer) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }
}
