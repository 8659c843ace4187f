import Foundation

// Foundation on Linux has this for `Double` and `Float`, and not for `CGFloat`.
extension CGFloat: @retroactive _ObjectiveCBridgeable {
  /// The value of a number, rounded where it has more digits.
  public init(truncating number: NSNumber) { self.init(number.doubleValue) }

  /// The value of a number; nil where it has more digits.
  public init?(exactly number: NSNumber) {
    guard let value = Double(exactly: number) else { return nil }
    self.init(value)
  }

  /// As an object: `value as NSNumber`.
  public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }

  /// Casts that are forced.
  public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) {
    result = _unconditionallyBridgeFromObjectiveC(source)
  }

  /// Casts with `as?`; nil where the number has more digits.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) -> Bool {
    result = CGFloat(exactly: source)
    return result != nil
  }

  /// Casts where the type is known to fit.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> CGFloat {
    source.map { CGFloat(truncating: $0) } ?? 0
  }
}
