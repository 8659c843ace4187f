/// Parameter lists for a model's inputs: plain values, multi-arrays as shaped arrays, or images as pictures.
struct SwiftParameters {
  enum Form {
    case values
    case shapedArrays
    /// Images as `CGImage`, with a suffix on the label.
    case pictures
    /// Images as file URLs.
    case files
  }

  let features: [NamedFeature]
  let form: Form
  /// The multi-array parameter without a default value, which makes calls of this form unambiguous; nil if another
  /// parameter does.
  private let distinction: String?

  init(_ features: [NamedFeature], _ form: Form) {
    self.features = features
    self.form = form
    let arrays = form == .shapedArrays ? features.filter { $0.swiftScalar != nil } : []
    distinction = arrays.allSatisfy(\.isOptional) ? arrays.first?.identifier : nil
  }

  /// Whether the form differs from plain values.
  var isOffered: Bool {
    switch form {
    case .values: true
    case .shapedArrays: features.contains { $0.swiftScalar != nil }
    case .pictures, .files: features.contains(where: \.isImage)
    }
  }

  /// `x: MLMultiArray, scale: Double? = nil`: the parameter list without parentheses.
  var declaration: String { features.map(declaration).joined(separator: ", ") }

  /// `x: x, scale: scale`: the arguments for the form with plain values.
  var arguments: String {
    features.map { "\($0.swiftLabel): \(value(of: $0))" }.joined(separator: ", ")
  }

  /// The unchanged arguments, for a call with the same form.
  var forwarded: String { features.map { "\($0.swiftLabel): \($0.swiftName)" }.joined(separator: ", ") }

  /// The availability of members with these parameters.
  func availability(in version: Int) -> SwiftAvailability.Member? {
    switch form {
    case .values: nil
    case .pictures, .files: .images
    case .shapedArrays:
      features.filter { $0.swiftScalar != nil }.map(\.swiftShapedAvailability).max { $0.rawValue < $1.rawValue }
    }
  }

  /// Whether the parameters need `Float16`, which Macs with Intel processors do not have.
  var needsF16: Bool { form == .shapedArrays && features.contains { $0.swiftScalar == "Float16" } }

  private func label(of feature: NamedFeature) -> String {
    guard feature.isImage else { return feature.swiftName }
    switch form {
    case .pictures: return "\(feature.identifier)With"
    case .files: return "\(feature.identifier)At"
    case .values, .shapedArrays: return feature.swiftName
    }
  }

  private func declaration(_ feature: NamedFeature) -> String {
    let label = label(of: feature)
    let name = label == feature.swiftName ? label : "\(label) \(feature.swiftName)"
    guard feature.isOptional, !isDistinction(feature) else { return "\(name): \(type(of: feature))" }
    return "\(name): \(type(of: feature))? = nil"
  }

  /// Whether this parameter makes calls of the form unambiguous, so that it must not have a default value.
  private func isDistinction(_ feature: NamedFeature) -> Bool {
    switch form {
    case .values: false
    case .pictures, .files: feature.isImage
    case .shapedArrays: feature.identifier == distinction
    }
  }

  private func type(of feature: NamedFeature) -> String {
    switch form {
    case .values: return feature.swiftType
    case .pictures: return feature.isImage ? "CGImage" : feature.swiftType
    case .files: return feature.isImage ? "URL" : feature.swiftType
    case .shapedArrays: return feature.swiftScalar.map { "MLShapedArray<\($0)>" } ?? feature.swiftType
    }
  }

  private func value(of feature: NamedFeature) -> String {
    switch form {
    case .shapedArrays where feature.swiftScalar != nil:
      return feature.isOptional && !isDistinction(feature)
        ? "\(feature.swiftName).map { MLMultiArray($0) }" : "MLMultiArray(\(feature.swiftName))"
    case .pictures where feature.isImage: return Self.picture(feature, "cgImage: \(feature.swiftName)")
    case .files where feature.isImage: return Self.picture(feature, "imageAt: \(feature.swiftName)")
    default: return feature.swiftName
    }
  }

  /// An expression for a picture in the size and format of the model.
  static func picture(_ feature: NamedFeature, _ source: String) -> String {
    guard case .image(let image) = feature.kind else { return feature.swiftName }
    return
      "try MLFeatureValue(\(source), pixelsWide: \(image.width), pixelsHigh: \(image.height), pixelFormatType: \(feature.swiftPictureFormat), options: nil).imageBufferValue!"
  }
}
