import Foundation

/// A variant of a release: its files, and its requirements on devices.
public struct Variant: Sendable, Equatable, Codable {
  /// The format of the files; also the extension of the model's name.
  public enum Form: String, Sendable, Codable {
    /// A specification in one file.
    case mlmodel
    /// A package: a folder that contains `Manifest.json`.
    case mlpackage
    /// A compiled model, stored as a folder.
    case mlmodelc
    /// An encrypted compiled model in a single file: ``EncryptedModel``.
    case encrypted

    /// Whether the model is a single file, named ``TreeDigest/fileName``, instead of a folder.
    var isFile: Bool { self == .mlmodel || self == .encrypted }
  }

  /// The unique name of the variant in its release.
  public var name: String
  /// The format of its files.
  public var form: Form
  /// The requirements on devices that use it.
  public var requirements: Requirements
  /// The tree digest: ``ShippedFile/treeDigest(of:)`` of ``files``.
  public var tree: String
  /// The files, relative to the model's folder. A `mlmodel` or an encrypted model is one file, named `model.mlmodel`.
  public var files: [ShippedFile]
  /// The golden tests that a device runs before it uses the variant.
  public var golden: [GoldenTest]
  /// Deltas that create its files from those of earlier releases, with smaller downloads.
  public var deltas: [TreeDelta]

  /// Creates a variant and computes its tree digest from the files.
  public init(
    name: String, form: Form, requirements: Requirements = Requirements(), files: [ShippedFile],
    golden: [GoldenTest] = [], deltas: [TreeDelta] = []
  ) {
    self.name = name
    self.form = form
    self.requirements = requirements
    self.files = files
    self.golden = golden
    self.deltas = deltas
    tree = ShippedFile.treeDigest(of: files)
  }

  /// The size of the model's files in bytes.
  public var size: Int64 { files.reduce(0) { Checked.sum($0, $1.size) } }
  /// The number of bytes to download without an older release.
  public var shippedSize: Int64 { files.reduce(0) { Checked.sum($0, $1.smallest?.size ?? 0) } }
}

/// A file, with the encodings in which the host stores it.
public struct ShippedFile: Sendable, Equatable, Codable {
  /// An encoding in which a file is shipped.
  public struct Encoding: Sendable, Equatable, Codable {
    /// The encoding of the bytes.
    public var kind: PayloadEncoding
    /// The SHA-256 of the object, which is also its name on the host: `objects/<aa>/<sha256>`.
    public var object: String
    /// The size of the object in bytes.
    public var size: Int64

    /// Creates an encoding of an object.
    public init(kind: PayloadEncoding, object: String, size: Int64) {
      self.kind = kind
      self.object = object
      self.size = size
    }
  }

  /// The path relative to the folder of the model, golden test or delta, with `/` as separator.
  public var path: String
  /// The decoded size in bytes.
  public var size: Int64
  /// The SHA-256 of the decoded file, in hexadecimal.
  public var sha256: String
  /// At least one encoding; all decode to identical bytes.
  public var encodings: [Encoding]

  /// Creates a shipped file.
  public init(path: String, size: Int64, sha256: String, encodings: [Encoding]) {
    self.path = path
    self.size = size
    self.sha256 = sha256
    self.encodings = encodings
  }

  /// The encoding with the smallest object.
  public var smallest: Encoding? { encodings.min { $0.size < $1.size } }

  /// Returns the path of an object, relative to the host's root.
  public static func objectPath(_ digest: String) -> String { "objects/\(digest.prefix(2))/\(digest)" }

  /// Returns the ``TreeDigest`` of the files.
  public static func treeDigest(of files: [ShippedFile]) -> String {
    TreeDigest.digest(of: files.map { TreeFile(path: $0.path, size: $0.size, sha256: $0.sha256) })
  }
}

/// Golden inputs with their expected outputs. A device runs the model on them before it uses a release.
public struct GoldenTest: Sendable, Equatable, Codable {
  /// A file of input features: `.npz` or `.json`.
  public var inputs: ShippedFile
  /// A file of the expected outputs to compare, in the same formats.
  public var outputs: ShippedFile
  /// The absolute term of the tolerance. An output passes if |found - expected| <= absolute + relative * |expected|.
  public var absoluteTolerance: Double
  /// The relative term of the tolerance.
  public var relativeTolerance: Double

  /// Creates a golden test from files shipped with the variant.
  public init(inputs: ShippedFile, outputs: ShippedFile, absoluteTolerance: Double, relativeTolerance: Double) {
    self.inputs = inputs
    self.outputs = outputs
    self.absoluteTolerance = absoluteTolerance
    self.relativeTolerance = relativeTolerance
  }
}

/// A delta that creates a tree from an older one; see ``DeltaPayload``.
public struct TreeDelta: Sendable, Equatable, Codable {
  /// The digest of the tree that the delta applies to.
  public var from: String
  /// The delta and its encodings.
  public var payload: ShippedFile

  /// Creates a delta from a tree.
  public init(from: String, payload: ShippedFile) {
    self.from = from
    self.payload = payload
  }
}

/// Sums of untrusted sizes, saturated at `Int64.max`.
enum Checked {
  static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }
}
