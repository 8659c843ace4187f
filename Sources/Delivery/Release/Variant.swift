import Foundation

/// One form of a release: its files, and what a device must be like to use them.
public struct Variant: Sendable, Equatable, Codable {
  /// What the files are; also the extension of the model's name.
  public enum Form: String, Sendable, Codable {
    /// A specification in one file.
    case mlmodel
    /// A package: a folder with `Manifest.json`.
    case mlpackage
    /// A compiled model, which is a folder.
    case mlmodelc
    /// A compiled model in a file that loads with its key alone: ``EncryptedModel``.
    case encrypted

    /// Whether it is one file, named ``TreeDigest/fileName``, and no folder.
    var isFile: Bool { self == .mlmodel || self == .encrypted }
  }

  /// Tells the variants of a release apart.
  public var name: String
  /// What its files are.
  public var form: Form
  /// What a device must be like to use it.
  public var requirements: Requirements
  /// The digest of the whole: ``ShippedFile/treeDigest(of:)`` of ``files``.
  public var tree: String
  /// Below the model's folder. A `mlmodel` or an encrypted model is one file, named `model.mlmodel`.
  public var files: [ShippedFile]
  /// Tests that a device runs before it uses the variant.
  public var golden: [GoldenTest]
  /// Ways to make its files from those of earlier releases, with fewer bytes to fetch.
  public var deltas: [TreeDelta]

  /// A variant; its tree's digest is computed from the files.
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

  /// The bytes of the model as it is used.
  public var size: Int64 { files.reduce(0) { Checked.sum($0, $1.size) } }
  /// The bytes that a device without an older release fetches.
  public var shippedSize: Int64 { files.reduce(0) { Checked.sum($0, $1.smallest?.size ?? 0) } }
}

/// A file as it is used, and the forms in which it lies on the host.
public struct ShippedFile: Sendable, Equatable, Codable {
  /// A form in which a file's bytes are shipped.
  public struct Encoding: Sendable, Equatable, Codable {
    /// How the bytes are packed.
    public var kind: PayloadEncoding
    /// The SHA-256 of the object, which is also its name on the host: `objects/<aa>/<sha256>`.
    public var object: String
    /// The bytes of the object.
    public var size: Int64

    /// A form that lies on the host under its digest.
    public init(kind: PayloadEncoding, object: String, size: Int64) {
      self.kind = kind
      self.object = object
      self.size = size
    }
  }

  /// Below the folder of what it belongs to; components are separated by `/`.
  public var path: String
  /// The bytes of the file as it is used.
  public var size: Int64
  /// Of the file as it is used.
  public var sha256: String
  /// At least one; each gives exactly the same bytes.
  public var encodings: [Encoding]

  /// A file, and the forms that it is shipped in.
  public init(path: String, size: Int64, sha256: String, encodings: [Encoding]) {
    self.path = path
    self.size = size
    self.sha256 = sha256
    self.encodings = encodings
  }

  /// The form with the fewest bytes.
  public var smallest: Encoding? { encodings.min { $0.size < $1.size } }

  /// Where an object lies, relative to the host's root.
  public static func objectPath(_ digest: String) -> String { "objects/\(digest.prefix(2))/\(digest)" }

  /// The ``TreeDigest`` of these files.
  public static func treeDigest(of files: [ShippedFile]) -> String {
    TreeDigest.digest(of: files.map { TreeFile(path: $0.path, size: $0.size, sha256: $0.sha256) })
  }
}

/// Inputs, and the outputs that a good model gives for them: run on the device before a release is used.
public struct GoldenTest: Sendable, Equatable, Codable {
  /// Features in a file: `.npz` or `.json`.
  public var inputs: ShippedFile
  /// The outputs to look at, in a file of the same forms.
  public var outputs: ShippedFile
  /// An output passes where |found - expected| <= absolute + relative * |expected|.
  public var absoluteTolerance: Double
  /// The part of the tolerance that grows with the expected value.
  public var relativeTolerance: Double

  /// A test of files that are shipped with the variant.
  public init(inputs: ShippedFile, outputs: ShippedFile, absoluteTolerance: Double, relativeTolerance: Double) {
    self.inputs = inputs
    self.outputs = outputs
    self.absoluteTolerance = absoluteTolerance
    self.relativeTolerance = relativeTolerance
  }
}

/// What makes a tree of an older one: see ``DeltaPayload``.
public struct TreeDelta: Sendable, Equatable, Codable {
  /// The digest of the tree that it starts from.
  public var from: String
  /// The bytes of the delta, and the forms that they are shipped in.
  public var payload: ShippedFile

  /// A delta from a tree.
  public init(from: String, payload: ShippedFile) {
    self.from = from
    self.payload = payload
  }
}

/// Sums of sizes that a document states.
enum Checked {
  static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }
}
