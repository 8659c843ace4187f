/// The size of one axis: a number, or unknown until shapes are specialised or until run time.
///
/// Arithmetic with an unknown size gives an unknown size, and so does overflow or division by zero. So type rules can
/// compute with sizes from an untrusted file without trapping. A negative result is kept, and refused by
/// `TensorType.validated`.
package struct Dimension: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// The size, if known.
  package let value: Int?

  package static let unknown = Dimension(nil)

  package init(_ value: Int?) { self.value = value }
  package init(integerLiteral value: Int) { self.value = value }

  package var isKnown: Bool { value != nil }
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
