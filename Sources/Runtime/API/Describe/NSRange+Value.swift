import Foundation

// Lets code cast `sizeRangeForDimension` to `[NSRange]`, as on Apple's systems. Foundation on Linux wraps ranges in
// `NSValue`, but it does not unwrap them in a cast.
extension NSRange: @retroactive _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSValue { NSValue(range: self) }

  public static func _forceBridgeFromObjectiveC(_ source: NSValue, result: inout NSRange?) {
    _ = _conditionallyBridgeFromObjectiveC(source, result: &result)
  }

  public static func _conditionallyBridgeFromObjectiveC(_ source: NSValue, result: inout NSRange?) -> Bool {
    result = strcmp(source.objCType, NSValue(range: NSRange()).objCType) == 0 ? source.rangeValue : nil
    return result != nil
  }

  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSValue?) -> NSRange {
    var result: NSRange?
    if let source { _ = _conditionallyBridgeFromObjectiveC(source, result: &result) }
    return result ?? NSRange()
  }
}
