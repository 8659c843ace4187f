// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.StringToInt64Map`
  public struct StringToInt64Map: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var map: [String: Int64] { get throws { Dictionary(entries: try mapInOrder) } }
    public var mapInOrder: [(key: String, value: Int64)] { get throws { try message.entries(1) { (try $0.string(1), try $0.int64(2)) } } }
  }
  /// `CoreML.Specification.Int64ToStringMap`
  public struct Int64ToStringMap: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var map: [Int64: String] { get throws { Dictionary(entries: try mapInOrder) } }
    public var mapInOrder: [(key: Int64, value: String)] { get throws { try message.entries(1) { (try $0.int64(1), try $0.string(2)) } } }
  }
  /// `CoreML.Specification.StringToDoubleMap`
  public struct StringToDoubleMap: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var map: [String: Double] { get throws { Dictionary(entries: try mapInOrder) } }
    public var mapInOrder: [(key: String, value: Double)] { get throws { try message.entries(1) { (try $0.string(1), try $0.double(2)) } } }
  }
  /// `CoreML.Specification.Int64ToDoubleMap`
  public struct Int64ToDoubleMap: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var map: [Int64: Double] { get throws { Dictionary(entries: try mapInOrder) } }
    public var mapInOrder: [(key: Int64, value: Double)] { get throws { try message.entries(1) { (try $0.int64(1), try $0.double(2)) } } }
  }
  /// `CoreML.Specification.StringVector`
  public struct StringVector: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var vector: [String] { get throws { try message.strings(1) } }
  }
  /// `CoreML.Specification.Int64Vector`
  public struct Int64Vector: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var vector: [Int64] { get throws { try message.int64s(1) } }
  }
  /// `CoreML.Specification.FloatVector`
  public struct FloatVector: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var vector: [Float] { get throws { try message.floats(1) } }
    public var vectorBytes: Bytes { get throws { try message.floatBytes(1) } }
  }
  /// `CoreML.Specification.DoubleVector`
  public struct DoubleVector: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var vector: [Double] { get throws { try message.doubles(1) } }
    public var vectorBytes: Bytes { get throws { try message.doubleBytes(1) } }
  }
  /// `CoreML.Specification.Int64Range`
  public struct Int64Range: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var minValue: Int64 { get throws { try message.int64(1) } }
    public var maxValue: Int64 { get throws { try message.int64(2) } }
  }
  /// `CoreML.Specification.Int64Set`
  public struct Int64Set: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var values: [Int64] { get throws { try message.int64s(1) } }
  }
  /// `CoreML.Specification.DoubleRange`
  public struct DoubleRange: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var minValue: Double { get throws { try message.double(1) } }
    public var maxValue: Double { get throws { try message.double(2) } }
  }
  /// `CoreML.Specification.PrecisionRecallCurve`
  public struct PrecisionRecallCurve: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var precisionValues: Specification.FloatVector? { get throws { try message.message(1).map(Specification.FloatVector.init) } }
    public var precisionConfidenceThresholds: Specification.FloatVector? { get throws { try message.message(2).map(Specification.FloatVector.init) } }
    public var recallValues: Specification.FloatVector? { get throws { try message.message(3).map(Specification.FloatVector.init) } }
    public var recallConfidenceThresholds: Specification.FloatVector? { get throws { try message.message(4).map(Specification.FloatVector.init) } }
  }
}
