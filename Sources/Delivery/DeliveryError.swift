import Foundation

/// An error of this module: a stable code, and a sentence that names the file.
public struct DeliveryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The stable identifier of an error, such as `delivery.unreadable`.
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A file or folder cannot be opened, read or listed.
    public static let unreadable = Code(rawValue: "delivery.unreadable")
    /// A file or folder cannot be created, written or moved to its destination.
    public static let unwritable = Code(rawValue: "delivery.unwritable")
    /// No folder for data can be determined: there is no home folder, and the environment names none.
    public static let noPlace = Code(rawValue: "delivery.no-place")
    /// No installed model has this name, or the name is invalid.
    public static let noSuchModel = Code(rawValue: "delivery.no-such-model")
    /// The item at a path cannot be a model: too many files, nested too deeply, or neither a file nor a folder.
    public static let notAModel = Code(rawValue: "delivery.not-a-model")
    /// Memory allocation failed.
    public static let noMemory = Code(rawValue: "delivery.no-memory")
  }

  /// The stable error code.
  public let code: Code
  /// A readable sentence without the name of the file.
  public let message: String
  /// The file or folder that caused the error; nil if there is none.
  public let file: String?
  /// The errno value of the cause; nil if there is none.
  private(set) var number: Int32?

  /// Creates an error with its sentence and, optionally, the file or folder that caused it.
  public init(_ code: Code, _ message: String, file: String? = nil) {
    self.code = code
    self.message = message
    self.file = file
  }

  /// Creates an error for a system call that failed with errno `number` at a path.
  init(_ code: Code, _ what: String, at url: URL, errno number: Int32) {
    self.init(code, "\(what): \(String(cString: strerror(number)))", file: url.path)
    self.number = number
  }

  /// Whether the storage medium cannot return the data. Unlike a lack of descriptors or memory, this error is
  /// permanent.
  var isOfMedium: Bool { code == .unreadable && [EIO, EUCLEAN, EBADMSG, ENODATA].contains(number) }

  /// Returns the error with the paths of private copies in `staging` replaced by the name that the user knows the model
  /// by.
  package func naming(_ known: String, copiedTo staging: URL) -> DeliveryError {
    let place = NSRegularExpression.escapedPattern(for: staging.path)
    // The private copy of a fetched file has the file name of its URL.
    let own = NSRegularExpression.escapedPattern(for: known.split(separator: "/").last.map(String.init) ?? known)
    let names = #"tree|\.unpacked|model\.(mlmodelc|mlmodel|mlpackage|encrypted)"#
    let model = #"(/(\#(names)|\#(own))(?=[/:\s]|$)){0,2}"#
    guard let copy = try? NSRegularExpression(pattern: "\(place)/\\.staged-[^/\\s:]+\(model)") else { return self }
    let template = NSRegularExpression.escapedTemplate(for: known)
    func named(_ text: String) -> String {
      copy.stringByReplacingMatches(in: text, range: NSRange(text.startIndex..., in: text), withTemplate: template)
    }
    return DeliveryError(code, named(message), file: file.map(named))
  }

  public var description: String { file.map { "\($0): \(message)" } ?? message }
}
