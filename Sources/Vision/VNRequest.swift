import CoreMLBase
import Foundation
import MIL
import Synchronization

/// Called at the end of a request: the request has its results, or the error says why not.
public typealias VNRequestCompletionHandler = (_ request: VNRequest, _ error: (any Error)?) -> Void

/// The default revision of a request.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let VNRequestRevisionUnspecified = 0

/// An analysis of images. A handler may perform it many times.
// Sendable: the mutable state is behind the lock; the thread that performs the request calls the completion handler
open class VNRequest: NSObject, @unchecked Sendable {
  struct Settings {
    var results: [VNObservation]?
    var preferBackgroundProcessing = false
    var usesCPUOnly = false
    var revision: Int?
    var regionOfInterest = VNNormalizedIdentityRect
    var cropAndScale = VNImageCropAndScaleOption.centerCrop
    /// Stops the current run, or else the next one.
    var cancellation = Cancellation()
  }

  let settings = Mutex(Settings())
  /// Called at the end of the request.
  public let completionHandler: VNRequestCompletionHandler?

  /// Creates a request with a handler that is called at its end.
  public init(completionHandler: VNRequestCompletionHandler?) { self.completionHandler = completionHandler }

  /// Creates a request without a handler.
  override public convenience init() { self.init(completionHandler: nil) }

  /// The results of the last run; nil before the first run and after an error.
  open var results: [VNObservation]? { settings.withLock { $0.results } }

  /// Whether other work has priority. The value is stored without effect: predictions share the threads of the process,
  /// and the system sets priorities per process (`nice`).
  open var preferBackgroundProcessing: Bool {
    get { settings.withLock { $0.preferBackgroundProcessing } }
    set { settings.withLock { $0.preferBackgroundProcessing = newValue } }
  }

  /// Whether models run only on the CPU.
  open var usesCPUOnly: Bool {
    get { settings.withLock { $0.usesCPUOnly } }
    set { settings.withLock { $0.usesCPUOnly = newValue } }
  }

  /// The revision of the request. The default is the newest. An unknown revision fails with the code
  /// `unsupportedRevision`.
  open var revision: Int {
    get { settings.withLock { $0.revision } ?? Self.defaultRevision }
    set { settings.withLock { $0.revision = newValue } }
  }

  /// The supported revisions.
  open class var supportedRevisions: IndexSet { [1] }
  /// The newest revision.
  open class var currentRevision: Int { supportedRevisions.last ?? VNRequestRevisionUnspecified }
  /// The revision if none is set.
  open class var defaultRevision: Int { currentRevision }

  /// Stops the current run between two operations of the model, or else the next run. That run ends with the code
  /// `requestCancelled`.
  open func cancel() { settings.withLock { $0.cancellation }.cancel() }

  /// The observations for an upright image.
  func observations(in picture: UprightPicture) throws -> [VNObservation] {
    throw VNFailure(.unsupportedRequest, "\(Swift.type(of: self)) says nothing of what is to be found")
  }

  /// Performs the request and calls its handler.
  func perform(_ picture: Result<UprightPicture, any Error>) -> (any Error)? {
    let cancellation = settings.withLock { settings in
      settings.results = nil
      return settings.cancellation
    }
    defer { settings.withLock { $0.cancellation = Cancellation() } }
    do {
      let found = try cancellation.during {
        guard !cancellation.isCancelled else { throw Self.cancelled(nil) }
        guard Swift.type(of: self).supportedRevisions.contains(revision) else {
          throw VNFailure(.unsupportedRevision, "there is no revision \(revision) of \(Swift.type(of: self))")
        }
        return try observations(in: picture.get())
      }
      settings.withLock { $0.results = found }
      completionHandler?(self, nil)
      return nil
    } catch {
      completionHandler?(self, error)
      return error
    }
  }

  static func cancelled(_ underlying: (any Error)?) -> VNFailure {
    VNFailure(.requestCancelled, "the request was cancelled", underlying: underlying)
  }
}

/// A request that analyzes a part of an image.
open class VNImageBasedRequest: VNRequest, @unchecked Sendable {
  /// The part of the upright image that is analyzed, in fractions, from the lower left corner. The default is the whole
  /// image. If it exceeds the image, performing the request fails with the code `invalidArgument`.
  open var regionOfInterest: CGRect {
    get { settings.withLock { $0.regionOfInterest } }
    set { settings.withLock { $0.regionOfInterest = newValue } }
  }
}
