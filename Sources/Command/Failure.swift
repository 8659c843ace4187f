import CoreML
import CoreMLDelivery
import CoreMLImages
import CoreMLModels
import CoreMLRuntime
import CoreMLSpec
import CoreMLTextGeneration
import CoreMLTokenizers
import FeatureFiles
import Foundation

/// The exit status of the process (from sysexits.h, where it has a number).
enum ExitStatus: Int32, Sendable {
  case done = 0
  /// The work ran and its result is negative.
  case negative = 1
  case usage = 64
  case data = 65
  case unavailable = 69
  case cannotWrite = 73
  case io = 74
  case temporary = 75
  case interrupt = 130
  case terminated = 143

  static func interrupted(by signal: Int32) -> ExitStatus { signal == SIGTERM ? .terminated : .interrupt }

  /// Ends the process and removes its temporary files.
  func exit() -> Never {
    if self != .cannotWrite { Console.closeOutput() }
    TemporaryFolders.shared.removeAll()
    ModelLeases.process.release()
    fflush(nil)
    Foundation.exit(rawValue)
  }
}

/// Why the command failed: a status for scripts and one sentence for people.
struct Failure: Error, CustomStringConvertible {
  let status: ExitStatus
  let sentence: String

  init(_ status: ExitStatus, _ sentence: String) {
    self.status = status
    self.sentence = Self.shortened(sentence)
  }

  /// A sentence may repeat a cell of a table, which has any length. The middle is left out: the start has the place, and
  /// the end has the reason.
  private static func shortened(_ sentence: String) -> String {
    let most = 2000
    guard sentence.utf8.count > most else { return sentence }
    let letters = sentence.unicodeScalars
    guard letters.count > most else { return sentence }
    return "\(String(letters.prefix(most / 2))) ... \(String(letters.suffix(most / 2 - 5)))"
  }

  /// The work ran, and its result is already printed.
  static let negative = Failure(.negative, "")

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as MLModelError:
      let cause = error.underlyingError.map { Failure($0).status }
      self.init(cause ?? Self.status(of: error), error.message)
    case let error as SpecError: self.init(Self.status(of: error), "\(error)")
    case let error as DeliveryError: self.init(Self.status(of: error), "\(error)")
    case let error as FeatureFileError: self.init(Self.status(of: error), "\(error)")
    case let error as ImageError: self.init(Self.status(of: error), "\(error)")
    case let error as TokenizerError: self.init(error.code == .unreadable ? .io : .data, "\(error)")
    case let error as GenerationError: self.init(error.code == .invalidOption ? .usage : .data, "\(error)")
    case is CancellationError: self.init(.temporary, "the work was stopped")
    case let error as CocoaError: self.init(Self.status(of: error), Self.sentence(of: error))
    default: self.init(Self.status(ofCode: Self.stableCode(of: error)), "\(error)")
    }
  }

  /// Something could not be written, made or moved, and errno has the system's reason.
  static func unwritable(_ path: String, _ what: String, errno number: Int32 = errno) -> Failure {
    Failure(.cannotWrite, "\(path): \(what): \(String(cString: strerror(number)))")
  }

  /// The system's text for an error of Foundation.
  static func reason(_ error: any Error) -> String {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
    return underlying.map { String(cString: strerror($0.code.rawValue)) } ?? (error as NSError).localizedDescription
  }

  var description: String { sentence }

  private static func status(of error: MLModelError) -> ExitStatus {
    switch error.code {
    case .io: .io
    case .predictionCancelled: .temporary
    default: status(ofCode: error.underlyingCode)
    }
  }

  /// Errors of modules that the command does not know have a `code` of the same form.
  private static func status(ofCode code: String) -> ExitStatus {
    switch ErrorCause(code: code) {
    case .files: .io
    case .cancelled, .overTime, .memory: .temporary
    case .device: .unavailable
    case .inputs, .unsupported, .model, .other: .data
    }
  }

  private static func stableCode(of error: any Error) -> String {
    (Mirror(reflecting: error).children.first { $0.label == "code" }?.value).map { value in
      (value as? any RawRepresentable).map { "\($0.rawValue)" } ?? "\(value)"
    } ?? ""
  }

  private static func status(of error: SpecError) -> ExitStatus {
    switch error.code {
    case .unreadable, .notAFile: .io
    case .unwritable: .cannotWrite
    default: .data
    }
  }

  private static func status(of error: DeliveryError) -> ExitStatus {
    switch error.code {
    case .unreadable, .noSuchModel, .notInStore, .noEarlierVersion, .notOffered, .notFollowed: .io
    case .unwritable, .noPlace, .noSpace, .storeFull: .cannotWrite
    case .beingRemoved, .busy, .noMemory: .temporary
    case .hostFailed, .noTrialHelper: .unavailable
    case .unsupportedURL, .insecureURL, .badDigest, .badSetting: .usage
    case .insecureRedirect, .tooManyRedirects, .redirectLoop, .badRedirect, .unreachable, .untrustedHost,
      .badCertificates, .proxy, .timedOut, .stalled, .tooSlow, .untrusted, .cutShort, .notFound, .forbidden,
      .badResponse, .wrongRange,
      .keepsChanging, .contentEncoding, .unknownLength:
      .io
    case .failsSmokeTest, .doesNotPredict: .negative
    case .cannotPublish: .usage
    default: .data
    }
  }

  private static func status(of error: ImageError) -> ExitStatus {
    switch error.code {
    case .io: .io
    case .outOfMemory: .temporary
    default: .data
    }
  }

  private static func status(of error: FeatureFileError) -> ExitStatus {
    switch error.code {
    case .unreadable: .io
    case .unwritable: .cannotWrite
    default: .data
    }
  }

  private static func status(of error: CocoaError) -> ExitStatus {
    (CocoaError.fileWriteUnknown.rawValue...CocoaError.fileWriteVolumeReadOnly.rawValue).contains(error.code.rawValue)
      ? .cannotWrite : .io
  }

  private static func sentence(of error: CocoaError) -> String {
    let reason = (error.underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) }
    return [error.filePath, reason ?? error.localizedDescription].compactMap { $0 }.joined(separator: ": ")
  }
}
