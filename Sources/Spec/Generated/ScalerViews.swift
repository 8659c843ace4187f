// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension Specification {
  /// `CoreML.Specification.Scaler`
  package struct Scaler: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var shiftValue: [Double] { get throws { try message.doubles(1) } }
    package var shiftValueBytes: Bytes { get throws { try message.doubleBytes(1) } }
    package var scaleValue: [Double] { get throws { try message.doubles(2) } }
    package var scaleValueBytes: Bytes { get throws { try message.doubleBytes(2) } }
  }
}
