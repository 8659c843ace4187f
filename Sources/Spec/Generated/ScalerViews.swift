// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Scaler`
  public struct Scaler: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var shiftValue: [Double] { get throws { try message.doubles(1) } }
    public var shiftValueBytes: Bytes { get throws { try message.doubleBytes(1) } }
    public var scaleValue: [Double] { get throws { try message.doubles(2) } }
    public var scaleValueBytes: Bytes { get throws { try message.doubleBytes(2) } }
  }
}
