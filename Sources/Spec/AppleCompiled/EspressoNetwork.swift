/// `model.espresso.net`: the layers of a neural network compiled by Apple's tools, as JSON.
package struct EspressoNetwork: Sendable {
  package let layers: [EspressoLayer]
  /// The preprocessing of image inputs, by input name.
  package let transforms: [String: EspressoTransform]
  /// The name of the weight file in the same folder.
  package let storage: String

  package static func open(_ path: String) throws -> EspressoNetwork {
    let root = try JSONText.read(Root.self, file: path, .malformedCompiledModel)
    guard (200...300).contains(root.formatVersion) else {
      throw SpecError(
        .compiledByApple, "the network has format version \(root.formatVersion), 200 to 300 are known", file: path)
    }
    return EspressoNetwork(
      layers: root.layers, transforms: root.transforms ?? [:], storage: root.storage ?? "model.espresso.weights")
  }

  private struct Root: Decodable {
    let formatVersion: Int
    let storage: String?
    let layers: [EspressoLayer]
    let transforms: [String: EspressoTransform]?

    enum CodingKeys: String, CodingKey {
      case formatVersion = "format_version"
      case storage, layers
      case transforms = "transform_params"
    }
  }
}

/// One layer: its type, inputs, outputs and parameters.
package struct EspressoLayer: Sendable, Decodable {
  package enum Field: Sendable, Decodable {
    /// A number. Booleans are 1 and 0.
    case number(Double)
    case text(String)
    /// An object or a list, with its number of entries.
    case other(count: Int)

    package init(from decoder: any Decoder) throws {
      if var list = try? decoder.unkeyedContainer() {
        var count = 0
        while !list.isAtEnd {
          _ = try list.decode(Field.self)
          count += 1
        }
        self = .other(count: count)
        return
      }
      let value = try decoder.singleValueContainer()
      if let number = try? value.decode(Double.self) {
        self = .number(number)
      } else if let flag = try? value.decode(Bool.self) {
        self = .number(flag ? 1 : 0)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if value.decodeNil() {
        self = .other(count: 0)
      } else {
        self = .other(count: try value.decode([String: Field].self).count)
      }
    }
  }

  package let name: String
  package let type: String
  package let inputs: [String]
  package let outputs: [String]
  package let fields: [String: Field]

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.singleValueContainer().decode([String: Field].self)
    self.fields = fields
    func text(_ key: String) throws -> String {
      switch fields[key] {
      case .text(let text): return text
      case nil where key == "bottom": return ""
      default:
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "'\(key)' is no text"))
      }
    }
    name = try text("name")
    type = try text("type")
    inputs = Self.names(try text("bottom"))
    outputs = Self.names(try text("top"))
  }

  private static func names(_ list: String) -> [String] { list.split(separator: ",").map(String.init) }
}

/// The preprocessing of an image input: y = scale x + bias, with a bias per channel.
package struct EspressoTransform: Sendable, Decodable, Equatable {
  package let scale: Float
  package let redBias: Float
  package let greenBias: Float
  package let blueBias: Float
  package let isBlueFirst: Bool
  /// Whether the mean of the image is subtracted too.
  package let centersMean: Bool

  package init(from decoder: any Decoder) throws {
    let values = try decoder.singleValueContainer().decode([String: Float].self)
    scale = values["scale"] ?? 1
    redBias = values["bias_r"] ?? 0
    greenBias = values["bias_g"] ?? 0
    blueBias = values["bias_b"] ?? 0
    isBlueFirst = values["is_network_bgr"] ?? 0 != 0
    centersMean = values["center_mean"] ?? 0 != 0
  }
}

/// `model.espresso.shape`: the sizes of every blob.
package struct EspressoShapes: Sendable {
  package struct Shape: Sendable, Decodable, Equatable {
    /// Batch, channels, height, width.
    package let n, k, h, w: Int
    /// The rank of the blob. Files of older tools lack it.
    package let rank: Int?

    enum CodingKeys: String, CodingKey {
      case n, k, h, w
      case rank = "_rank"
    }
  }

  package let shapes: [String: Shape]

  package static func open(_ path: String) throws -> EspressoShapes {
    EspressoShapes(shapes: try JSONText.read(Root.self, file: path, .malformedCompiledModel).shapes)
  }

  private struct Root: Decodable {
    let shapes: [String: Shape]

    enum CodingKeys: String, CodingKey { case shapes = "layer_shapes" }
  }
}
