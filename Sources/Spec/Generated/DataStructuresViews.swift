// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension Specification {
  /// `CoreML.Specification.StringToInt64Map`
  package struct StringToInt64Map: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var map: [String: Int64] { get throws { Dictionary(entries: try mapInOrder) } }
    package var mapInOrder: [(key: String, value: Int64)] { get throws { try message.entries(1) { (try $0.string(1), try $0.int64(2)) } } }
  }
  /// `CoreML.Specification.Int64ToStringMap`
  package struct Int64ToStringMap: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var map: [Int64: String] { get throws { Dictionary(entries: try mapInOrder) } }
    package var mapInOrder: [(key: Int64, value: String)] { get throws { try message.entries(1) { (try $0.int64(1), try $0.string(2)) } } }
  }
  /// `CoreML.Specification.StringToDoubleMap`
  package struct StringToDoubleMap: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var map: [String: Double] { get throws { Dictionary(entries: try mapInOrder) } }
    package var mapInOrder: [(key: String, value: Double)] { get throws { try message.entries(1) { (try $0.string(1), try $0.double(2)) } } }
  }
  /// `CoreML.Specification.Int64ToDoubleMap`
  package struct Int64ToDoubleMap: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var map: [Int64: Double] { get throws { Dictionary(entries: try mapInOrder) } }
    package var mapInOrder: [(key: Int64, value: Double)] { get throws { try message.entries(1) { (try $0.int64(1), try $0.double(2)) } } }
  }
  /// `CoreML.Specification.StringVector`
  package struct StringVector: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var vector: [String] { get throws { try message.strings(1) } }
  }
  /// `CoreML.Specification.Int64Vector`
  package struct Int64Vector: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var vector: [Int64] { get throws { try message.int64s(1) } }
  }
  /// `CoreML.Specification.FloatVector`
  package struct FloatVector: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var vector: [Float] { get throws { try message.floats(1) } }
    package var vectorBytes: Bytes { get throws { try message.floatBytes(1) } }
  }
  /// `CoreML.Specification.DoubleVector`
  package struct DoubleVector: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var vector: [Double] { get throws { try message.doubles(1) } }
    package var vectorBytes: Bytes { get throws { try message.doubleBytes(1) } }
  }
  /// `CoreML.Specification.Int64Range`
  package struct Int64Range: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var minValue: Int64 { get throws { try message.int64(1) } }
    package var maxValue: Int64 { get throws { try message.int64(2) } }
  }
  /// `CoreML.Specification.Int64Set`
  package struct Int64Set: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var values: [Int64] { get throws { try message.int64s(1) } }
  }
  /// `CoreML.Specification.DoubleRange`
  package struct DoubleRange: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var minValue: Double { get throws { try message.double(1) } }
    package var maxValue: Double { get throws { try message.double(2) } }
  }
  /// `CoreML.Specification.PrecisionRecallCurve`
  package struct PrecisionRecallCurve: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var precisionValues: Specification.FloatVector? { get throws { try message.message(1).map(Specification.FloatVector.init) } }
    package var precisionConfidenceThresholds: Specification.FloatVector? { get throws { try message.message(2).map(Specification.FloatVector.init) } }
    package var recallValues: Specification.FloatVector? { get throws { try message.message(3).map(Specification.FloatVector.init) } }
    package var recallConfidenceThresholds: Specification.FloatVector? { get throws { try message.message(4).map(Specification.FloatVector.init) } }
  }
}
