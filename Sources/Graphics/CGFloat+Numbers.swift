import Foundation

// Foundation on Linux has this conformance for `Double` and `Float`, but not for `CGFloat`.
extension CGFloat: @retroactive _ObjectiveCBridgeable {
  /// Creates a value from a number, with rounding.
  public init(truncating number: NSNumber) { self.init(number.doubleValue) }

  /// Creates a value from a number; nil if it cannot be represented exactly.
  public init?(exactly number: NSNumber) {
    guard let value = Double(exactly: number) else { return nil }
    self.init(value)
  }

  /// Supports `value as NSNumber`.
  public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }

  /// Supports forced casts.
  public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) {
    result = _unconditionallyBridgeFromObjectiveC(source)
  }

  /// Supports casts with `as?`; nil if the number cannot be represented exactly.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) -> Bool {
    result = CGFloat(exactly: source)
    return result != nil
  }

  /// Supports casts whose type is known.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> CGFloat {
    source.map { CGFloat(truncating: $0) } ?? 0
  }
}
