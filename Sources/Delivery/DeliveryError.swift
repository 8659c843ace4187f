import Foundation

/// What could not be kept, found or put in its place: a stable code, and a sentence that names the file.
public struct DeliveryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong, as a stable word such as `delivery.unreadable`.
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A file or folder cannot be opened, read or listed.
    public static let unreadable = Code(rawValue: "delivery.unreadable")
    /// A file or folder cannot be created, written or put in its place.
    public static let unwritable = Code(rawValue: "delivery.unwritable")
    /// There is no folder to keep things in: no home, and nothing in the environment that says where.
    public static let noPlace = Code(rawValue: "delivery.no-place")
    /// No installed model has the name, or the name cannot be a model's.
    public static let noSuchModel = Code(rawValue: "delivery.no-such-model")
    /// What stands at a path is no model's files: too many, too deep, or neither file nor folder.
    public static let notAModel = Code(rawValue: "delivery.not-a-model")
    /// The system has no memory for what is to be done.
    public static let noMemory = Code(rawValue: "delivery.no-memory")
  }

  /// What went wrong, for programs.
  public let code: Code
  /// What went wrong, for people, without the name of the file.
  public let message: String
  /// The file or folder at fault, when one is.
  public let file: String?
  /// The system's number (errno) for why, where it said so.
  private(set) var number: Int32?

  /// An error with its sentence, and the file or folder at fault where there is one.
  public init(_ code: Code, _ message: String, file: String? = nil) {
    self.code = code
    self.message = message
    self.file = file
  }

  /// For a call that failed with `number` (errno) at a path.
  init(_ code: Code, _ what: String, at url: URL, errno number: Int32) {
    self.init(code, "\(what): \(String(cString: strerror(number)))", file: url.path)
    self.number = number
  }

  /// Whether a disk cannot give what it was given, or gives it no more: this does not pass, as a lack of descriptors or of memory does.
  var isOfMedium: Bool { code == .unreadable && [EIO, EUCLEAN, EBADMSG, ENODATA].contains(number) }

  /// The same for whoever gave the model: a private copy of it, in a folder of `staging`, is called what it is known by.
  package func naming(_ known: String, copiedTo staging: URL) -> DeliveryError {
    let place = NSRegularExpression.escapedPattern(for: staging.path)
    // What was fetched has the name of its URL there.
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
