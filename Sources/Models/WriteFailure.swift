import CoreML
import CoreMLBase
import CoreMLDelivery
import Foundation

extension Error {
  /// Whether a file or a folder could not be written: the disk is full, say, or the folder is read-only.
  package var isWriteFailure: Bool {
    switch self {
    case let error as MLModelError: error.underlyingError?.isWriteFailure ?? false
    case let error as FileError: error.code == .unwritable
    case let error as DeliveryError: [.unwritable, .noPlace, .noSpace, .storeFull].contains(error.code)
    case let error as CocoaError:
      (CocoaError.fileWriteUnknown.rawValue...CocoaError.fileWriteVolumeReadOnly.rawValue).contains(error.code.rawValue)
    default: false
    }
  }

  /// One sentence for people.
  var sentence: String {
    switch self {
    case let error as MLModelError: error.message
    case let error as CocoaError:
      [
        error.filePath,
        (error.underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) }
          ?? error.localizedDescription,
      ].compactMap { $0 }.joined(separator: ": ")
    default: "\(self)"
    }
  }
}
