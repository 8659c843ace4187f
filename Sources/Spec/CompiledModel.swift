import CoreMLBase

/// A `.mlmodelc` folder, compiled by this project or by Apple's tools.
///
/// A model compiled by this project has `formatKey` in the first object of `metadata.json`, with its format version.
package struct CompiledModel: Sendable {
  /// The key in `metadata.json` that marks a model compiled by this project.
  package static let formatKey = Key.format.rawValue
  private enum Key: String, CodingKey { case format = "coremlRuntimeFormat" }

  package enum Kind: Sendable, Equatable {
    /// Compiled by this project, in this version of its format.
    case own(format: Int)
    /// A neural network with its layers in `model.espresso.net`.
    case appleNeuralNetwork
    /// An ML program in `model.mil`.
    case appleProgram
    /// Models in subfolders.
    case applePipeline
    /// Another model type; its description is in `coremldata.bin`.
    case appleOther
    /// Encrypted. The key comes from Apple's servers and stays on Apple's systems.
    case appleEncrypted

    /// One value of each kind.
    package static let all: [Kind] = [
      .own(format: 1), .appleProgram, .appleNeuralNetwork, .applePipeline, .appleOther, .appleEncrypted,
    ]

    /// The reason why the model can only be opened on Apple's systems; nil if it can be opened elsewhere.
    package var refusal: String? {
      guard case .appleEncrypted = self else { return nil }
      return
        "the model was encrypted by Apple's tools: its key comes from Apple's servers and it opens on Apple's systems only"
    }
  }

  package let path: String
  package let kind: Kind
  /// For a model compiled by Apple's tools: the field number of its type in `Model`, from the header of
  /// `coremldata.bin`.
  package let appleTypeNumber: Int?

  /// Recognises a compiled model; nil if the folder is not one.
  init?(recognising path: String) throws {
    self.path = path
    let description = "\(path)/coremldata.bin"
    let program = "\(path)/model.mil"
    let network = "\(path)/model.espresso.net"
    // Apple's tools add this folder or file when they encrypt a model. The other files may then be unreadable.
    if [.folder, .file].contains(PathKind(of: "\(path)/encryptionInfo")) {
      (kind, appleTypeNumber) = (.appleEncrypted, nil)
      return
    }
    guard [description, program, network].contains(where: { PathKind(of: $0) == .file }) else { return nil }
    let metadata = "\(path)/metadata.json"
    if PathKind(of: metadata) == .file, let format = try Self.format(metadata) {
      (kind, appleTypeNumber) = (.own(format: format), nil)
      return
    }
    var number: Int?
    if PathKind(of: description) == .file {
      let bytes = try Bytes.mapping(file: description)
      try LFSPointer.refuse(bytes, expected: "the description of a compiled model")
      guard bytes.count >= 8 else {
        throw bytes.error(.malformedCompiledModel, "expected a header of 8 bytes, found \(bytes.count)")
      }
      number = Int(try bytes.load(UInt32.self, at: 0))
    }
    appleTypeNumber = number
    if PathKind(of: program) == .file {
      // The text of a program starts with its version. Anything else is encrypted.
      kind = try Self.begins(program, with: "program") ? .appleProgram : .appleEncrypted
    } else if PathKind(of: network) == .file {
      if try Self.begins(network, with: "pbze") {
        throw SpecError(.compiledByApple, "the network is compressed, which is not read", file: network)
      }
      kind = try Self.begins(network, with: "{") ? .appleNeuralNetwork : .appleEncrypted
    } else {
      kind = number.map { (200...202).contains($0) } == true ? .applePipeline : .appleOther
    }
  }

  /// Throws if the model can only be opened on Apple's systems.
  package func requireReadable() throws {
    if let refusal = kind.refusal { throw SpecError(.encrypted, refusal, file: path) }
  }

  /// The version of this project's format; nil if the file has another format.
  private static func format(_ metadata: String) throws -> Int? {
    struct Marker: Decodable {
      let format: Int?
      init(from decoder: any Decoder) throws {
        format = try decoder.container(keyedBy: Key.self).decodeIfPresent(Int.self, forKey: .format)
      }
    }
    return try JSONText.read([Marker].self, file: metadata, .malformedCompiledModel).first?.format
  }

  /// Whether a text file starts with `prefix`, ignoring leading white space.
  private static func begins(_ path: String, with prefix: String) throws -> Bool {
    let bytes = try Bytes.mapping(file: path)
    try LFSPointer.refuse(bytes, expected: "the network of a compiled model")
    return bytes.withUnsafeBytes { $0.drop { $0 <= 0x20 }.starts(with: prefix.utf8) }
  }
}
