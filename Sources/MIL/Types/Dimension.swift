/// The size of one axis: a number, or unknown until shapes are specialised or until run time.
///
/// Arithmetic with an unknown size gives an unknown size, and so does overflow or division by zero. So type rules can
/// compute with sizes from an untrusted file without trapping. A negative result is kept, and refused by
/// `TensorType.validated`.
///
/// While a pass is tracked, a size has the number by which `SizeReads` knows it. Equality ignores it.
package struct Dimension: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  @usableFromInline let known: Int?
  /// 0 outside of tracked passes.
  package let id: UInt32

  /// The size, if known.
  @inlinable package var value: Int? {
    if id != 0 { SizeReads.note(id) }
    return known
  }

  package static let unknown = Dimension(nil)

  package init(_ value: Int?) { (known, id) = (value, 0) }
  package init(integerLiteral value: Int) { (known, id) = (value, 0) }
  /// The same size with the number of a tracked size, or without one for 0.
  package init(_ size: Dimension, id: UInt32) { (known, self.id) = (size.known, id) }

  /// Whether the size is known does not depend on the size.
  package var isKnown: Bool { known != nil }

  @inlinable package static func == (a: Dimension, b: Dimension) -> Bool {
    if a.id | b.id != 0 { SizeReads.compare(a, b) }
    return a.known == b.known
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(value) }

  package var description: String { value.map(String.init) ?? "?" }

  private static func combine(
    _ a: Dimension, _ b: Dimension, _ operation: (Int, Int) -> (partialValue: Int, overflow: Bool)
  ) -> Dimension {
    guard let x = a.value, let y = b.value else { return .unknown }
    let (result, overflow) = operation(x, y)
    return overflow ? .unknown : Dimension(result)
  }

  package static func + (a: Dimension, b: Dimension) -> Dimension { combine(a, b) { $0.addingReportingOverflow($1) } }
  package static func - (a: Dimension, b: Dimension) -> Dimension {
    combine(a, b) { $0.subtractingReportingOverflow($1) }
  }
  package static func * (a: Dimension, b: Dimension) -> Dimension {
    combine(a, b) { $0.multipliedReportingOverflow(by: $1) }
  }
  /// Floor division, as in the output sizes of convolutions and poolings.
  package static func / (a: Dimension, b: Dimension) -> Dimension {
    combine(a, b) { x, y in
      guard y != 0, !(x == Int.min && y == -1) else { return (0, true) }
      return (x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0), false)
    }
  }

  package static func + (a: Dimension, b: Int) -> Dimension { a + Dimension(b) }
  package static func - (a: Dimension, b: Int) -> Dimension { a - Dimension(b) }
  package static func * (a: Dimension, b: Int) -> Dimension { a * Dimension(b) }
  package static func / (a: Dimension, b: Int) -> Dimension { a / Dimension(b) }

  /// Unknown sizes agree with everything.
  package func agrees(with other: Dimension) -> Bool { value == nil || other.value == nil || value == other.value }
}
