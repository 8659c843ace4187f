// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.WordEmbedding`
  package struct WordEmbedding: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var revision: UInt32 { get throws { try message.uint32(1) } }
    package var language: String { get throws { try message.string(10) } }
    package var modelParameterData: Bytes { get throws { try message.bytes(100) } }
  }
}
