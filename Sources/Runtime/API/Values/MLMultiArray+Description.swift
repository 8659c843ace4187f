import Foundation

extension MLMultiArray {
  /// The type and shape, followed by the elements of a vector or matrix: `Float32 2 × 2 matrix`, then `[1,2;\n 3,4]`.
  /// Only the first elements of a large array are listed.
  func text(elements most: Int = 1000) -> String {
    let sizes = layout.shape.map(String.init).joined(separator: " × ")
    switch layout.shape.count {
    case 0: return "\(dataType.title) scalar\n\(word(self[[]]))"
    case 1: return "\(dataType.title) \(sizes) vector\n[\(row(0, layout.shape[0], most))]"
    case 2:
      let width = layout.shape[1]
      let rows = min(layout.shape[0], max(most / max(width, 1), 1))
      let lines = (0..<rows).map { row($0 * width, width, most) } + (rows < layout.shape[0] ? ["..."] : [])
      return "\(dataType.title) \(sizes) matrix\n[" + lines.joined(separator: ";\n ") + "]"
    default: return "\(dataType.title) \(sizes) array"
    }
  }

  /// Integers are printed without a decimal point, as on Apple's systems.
  private func word(_ number: NSNumber) -> String {
    let value = number.doubleValue
    guard value.rounded() != value || abs(value) >= 1e15 else { return "\(Int(value))" }
    return dataType == .double ? "\(value)" : "\(number.floatValue)"
  }

  private func row(_ start: Int, _ size: Int, _ most: Int) -> String {
    let shown = (0..<min(size, most)).map { word(self[start + $0]) }
    return (shown + (size > most ? ["..."] : [])).joined(separator: ",")
  }
}

extension UnsafeBufferPointer where Element: MLShapedArrayScalar {
  /// Creates a buffer over the elements of a multi-array in memory order, from the first to the last. It is valid as
  /// long as the array exists.
  ///
  /// - Throws: `MLModelError` (`generic`) if the elements have another type.
  public init(_ multiArray: MLMultiArray) throws {
    self.init(try UnsafeMutableBufferPointer(multiArray))
  }
}

extension UnsafeMutableBufferPointer where Element: MLShapedArrayScalar {
  /// Creates a buffer over the elements of a multi-array in memory order, from the first to the last. It is valid as
  /// long as the array exists.
  ///
  /// - Throws: `MLModelError` (`generic`) if the elements have another type.
  public init(_ multiArray: MLMultiArray) throws {
    guard Element.multiArrayDataType == multiArray.dataType else {
      throw MLModelError(.generic, "a multi-array of \(multiArray.dataType) has no elements of type \(Element.self)")
    }
    self = multiArray.withUnsafeMutableBufferPointer(ofType: Element.self) { elements, _ in elements }
  }
}
