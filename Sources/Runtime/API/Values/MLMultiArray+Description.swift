import Foundation

extension MLMultiArray {
  /// Type and shape, and the elements of a vector or a matrix: `Float32 2 × 2 matrix` and `[1,2;\n 3,4]` below it. Of a large one the
  /// first elements are shown.
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

  /// Whole numbers without a point, as Apple's systems print them.
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
  /// The elements of a multi-array from the first to the last one in memory, good as long as the array lives.
  ///
  /// - Throws: `MLModelError` (`generic`) where the elements are of another type.
  public init(_ multiArray: MLMultiArray) throws {
    self.init(try UnsafeMutableBufferPointer(multiArray))
  }
}

extension UnsafeMutableBufferPointer where Element: MLShapedArrayScalar {
  /// The elements of a multi-array from the first to the last one in memory, good as long as the array lives.
  ///
  /// - Throws: `MLModelError` (`generic`) where the elements are of another type.
  public init(_ multiArray: MLMultiArray) throws {
    guard Element.multiArrayDataType == multiArray.dataType else {
      throw MLModelError(.generic, "a multi-array of \(multiArray.dataType) has no elements of type \(Element.self)")
    }
    self = multiArray.withUnsafeMutableBufferPointer(ofType: Element.self) { elements, _ in elements }
  }
}
