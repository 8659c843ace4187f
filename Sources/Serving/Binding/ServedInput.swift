import CoreMLRuntime
import CoreMLServingInterface
import FeatureFiles
import Foundation

/// An input of a model as a tensor of the protocol.
struct ServedInput: Sendable {
  let description: MLFeatureDescription
  let metadata: ModelMetadata.Tensor

  var name: String { description.name }

  init(_ description: MLFeatureDescription) {
    self.description = description
    let isOptional = description.mayBeLeftOut
    func tensor(_ type: TensorType, _ shape: [Int], _ parameters: [String: ParameterValue] = [:])
      -> ModelMetadata.Tensor
    {
      ModelMetadata.Tensor(
        name: description.name, type: type, shape: shape, isOptional: isOptional, parameters: parameters)
    }
    switch description.type {
    case .multiArray:
      let constraint = description.multiArrayConstraint ?? MLMultiArrayConstraint()
      metadata = tensor(TensorType(constraint.dataType), constraint.openShape)
    case .image:
      let constraint = description.imageConstraint ?? MLImageConstraint()
      metadata = tensor(
        constraint.tensorType, constraint.openShape,
        ["content_type": .text("image"), "color_space": .text(constraint.channels == 3 ? "RGB" : "gray")])
    case .int64: metadata = tensor(.int64, [1])
    case .double: metadata = tensor(.float64, [1])
    case .string: metadata = tensor(.bytes, [1], ["content_type": .text("text")])
    case .dictionary: metadata = tensor(.bytes, [1], ["content_type": .text("json")])
    case .sequence:
      let isText = description.sequenceConstraint?.valueDescription.type == .string
      metadata = tensor(isText ? .bytes : .int64, [-1])
    case .invalid, .state: metadata = tensor(.bytes, [1])
    }
  }

  // MARK: checks

  /// Checks type and shape without reading elements.
  func check(_ tensor: ServingTensor) throws(ServingError) {
    func wrong(_ expected: String, _ found: String) -> ServingError {
      ServingError(.invalidArgument, "The input '\(name)' expects \(expected), found \(found).")
    }
    let isPicture = description.type == .image && tensor.type == .bytes
    guard isPicture || tensor.type.converts(to: metadata.type) else {
      throw wrong("the type \(metadata.type.rawValue)", tensor.type.rawValue)
    }
    guard let count = tensor.elementCount else {
      throw ServingError(
        .invalidArgument, "The input '\(name)' has the shape \(tensor.shape), which is no valid shape.")
    }
    switch description.type {
    case .multiArray:
      guard let constraint = description.multiArrayConstraint else { return }
      let declared = constraint.shape.map(\.intValue)
      // Networks of the rank-5 mapping accept sequences and batches for any declared shape. The model checks those.
      let isSequence = tensor.shape.count == 5 || tensor.shape.count == 3 && declared.count == 1
      guard isSequence || constraint.shapeConstraint.allows(tensor.shape, declared: declared) else {
        throw ServingError(
          .invalidArgument,
          "The input '\(name)' \(constraint.shapeConstraint.refusal(of: tensor.shape, declared: declared)).")
      }
    case .image where isPicture: guard count == 1 else { throw wrong("one picture", "\(count)") }
    case .image:
      guard let constraint = description.imageConstraint, let (high, wide) = constraint.size(of: tensor.shape),
        constraint.allows(wide: wide, high: high)
      else { throw wrong("the shape \(metadata.shape)", "\(tensor.shape)") }
    case .sequence: guard tensor.shape.count == 1 else { throw wrong("one axis", "the shape \(tensor.shape)") }
    case .int64, .double, .string, .dictionary, .invalid, .state:
      guard count == 1 else { throw wrong("one element", "the shape \(tensor.shape)") }
    }
  }

  // MARK: values

  /// The feature of a checked tensor. Elements of the model's type are used where they lie.
  func feature(_ tensor: ServingTensor) throws(ServingError) -> MLFeatureValue {
    try ServingError.converting {
      switch description.type {
      case .multiArray: MLFeatureValue(multiArray: try array(tensor))
      case .image: try ServedImage.feature(tensor, description)
      case .int64, .double: try FeatureConversion.feature(try Self.converted(tensor, shape: [1]), description)
      case .string: MLFeatureValue(string: try text(tensor.strings().first ?? []))
      case .dictionary: try dictionary(tensor)
      case .sequence: MLFeatureValue(sequence: try sequence(tensor))
      case .invalid, .state:
        throw ServingError(.unsupported, "The input '\(name)' has a type that the server cannot read.")
      }
    }
  }

  private func array(_ tensor: ServingTensor) throws -> MLMultiArray {
    let memory = try tensor.elements()
    // A tensor without axes is one number, as in files.
    let shape = tensor.shape.isEmpty ? [1] : tensor.shape
    guard tensor.type == metadata.type, let base = memory.bytes.baseAddress else {
      let type = description.multiArrayConstraint?.dataType ?? .float32
      return try FeatureConversion.multiArray(try Self.converted(tensor, shape: shape), type, name)
    }
    return try MLMultiArray(over: memory, at: base, shape: shape, tensor.type)
  }

  private static func converted(_ tensor: ServingTensor, shape: [Int]) throws -> NPYArray {
    guard let element = tensor.type.element else {
      throw ServingError(.invalidArgument, "The input '\(tensor.name)' has the type \(tensor.type.rawValue).")
    }
    return NPYArray(element, shape: shape, bytes: Array(try tensor.elements().bytes))
  }

  private func text(_ bytes: [UInt8]) throws(ServingError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ServingError(.invalidArgument, "The input '\(name)' expects text in UTF-8, found other bytes.")
    }
    return text
  }

  private func dictionary(_ tensor: ServingTensor) throws -> MLFeatureValue {
    let json = try (try tensor.strings().first ?? []).withUnsafeBytes { try JSONValue($0) }
    return try FeatureJSON.feature(json, description, images: .none)
  }

  private func sequence(_ tensor: ServingTensor) throws -> MLSequence {
    if metadata.type == .bytes {
      return MLSequence(strings: try tensor.strings().map { bytes throws(ServingError) in try text(bytes) })
    }
    guard let integers = try Self.converted(tensor, shape: tensor.shape).int64s else {
      throw ServingError(.invalidArgument, "The input '\(name)' expects integers of 64 bits, found larger numbers.")
    }
    return MLSequence(int64s: integers.map { NSNumber(value: $0) })
  }
}

extension MLMultiArray {
  /// An array over the memory of a tensor, which it keeps.
  convenience init(over memory: TensorMemory, at base: UnsafeMutableRawPointer, shape: [Int], _ type: TensorType) throws
  {
    let dataType: MLMultiArrayDataType
    switch type {
    case .float64: dataType = .double
    case .float32: dataType = .float32
    case .float16: dataType = .float16
    case .int32: dataType = .int32
    default: dataType = .int8
    }
    var strides = [Int](repeating: 1, count: shape.count)
    for axis in strides.indices.dropLast().reversed() { strides[axis] = strides[axis + 1] * max(shape[axis + 1], 1) }
    try self.init(
      dataPointer: base, shape: shape.map { NSNumber(value: $0) }, dataType: dataType,
      strides: strides.map { NSNumber(value: $0) }, deallocator: { _ in withExtendedLifetime(memory) {} })
  }
}

extension MLMultiArrayConstraint {
  /// The declared shape with -1 for axes whose size a request chooses.
  var openShape: [Int] {
    let declared = shape.map(\.intValue)
    switch shapeConstraint.type {
    case .unspecified: return declared.isEmpty ? [-1] : declared
    case .range:
      return shapeConstraint.sizeRangeForDimension.map { $0.rangeValue.length == 1 ? $0.rangeValue.location : -1 }
    case .enumerated:
      let shapes = shapeConstraint.enumeratedShapes.map { $0.map(\.intValue) }
      guard let first = shapes.first, shapes.allSatisfy({ $0.count == first.count }) else { return [-1] }
      return first.indices.map { axis in shapes.allSatisfy { $0[axis] == first[axis] } ? first[axis] : -1 }
    }
  }
}
