import CoreMLBase
import Foundation
import MIL
import Synchronization

/// Called when a request is done: its results are in the request, or the error says why there are none.
public typealias VNRequestCompletionHandler = (_ request: VNRequest, _ error: (any Error)?) -> Void

/// A request as this system has it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let VNRequestRevisionUnspecified = 0

/// Something to find out of pictures. A handler performs it, as often as one likes.
// Sendable: what changes is behind the lock; the completion handler is called by the thread that performs the request
open class VNRequest: NSObject, @unchecked Sendable {
  struct Settings {
    var results: [VNObservation]?
    var preferBackgroundProcessing = false
    var usesCPUOnly = false
    var revision: Int?
    var regionOfInterest = VNNormalizedIdentityRect
    var cropAndScale = VNImageCropAndScaleOption.centerCrop
    /// Stops what is under way, or else what comes next.
    var cancellation = Cancellation()
  }

  let settings = Mutex(Settings())
  /// Called when the request is done.
  public let completionHandler: VNRequestCompletionHandler?

  /// A request with a handler that is called when it is done.
  public init(completionHandler: VNRequestCompletionHandler?) { self.completionHandler = completionHandler }

  /// A request that is read when it is done.
  override public convenience init() { self.init(completionHandler: nil) }

  /// What was found when the request was last performed; nil before that, and after an error.
  open var results: [VNObservation]? { settings.withLock { $0.results } }

  /// Whether others are to have the processor first. A wish that is kept and has no effect here: predictions share the threads of the process,
  /// and the system tells these by the process (`nice`).
  open var preferBackgroundProcessing: Bool {
    get { settings.withLock { $0.preferBackgroundProcessing } }
    set { settings.withLock { $0.preferBackgroundProcessing = newValue } }
  }

  /// Whether models run on the CPU alone.
  open var usesCPUOnly: Bool {
    get { settings.withLock { $0.usesCPUOnly } }
    set { settings.withLock { $0.usesCPUOnly = newValue } }
  }

  /// Which revision of the request is performed: the newest unless something else is said. One that there is not fails with the code
  /// `unsupportedRevision`.
  open var revision: Int {
    get { settings.withLock { $0.revision } ?? Self.defaultRevision }
    set { settings.withLock { $0.revision = newValue } }
  }

  /// The revisions that there are.
  open class var supportedRevisions: IndexSet { [1] }
  /// The newest revision.
  open class var currentRevision: Int { supportedRevisions.last ?? VNRequestRevisionUnspecified }
  /// The revision of a request that nothing is said of.
  open class var defaultRevision: Int { currentRevision }

  /// Stops the request where it is being performed, between two operations of the model; else the next time that it is to be performed. That time
  /// ends with the code `requestCancelled`.
  open func cancel() { settings.withLock { $0.cancellation }.cancel() }

  /// What is found in an upright picture.
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

/// A request that looks at a part of a picture.
open class VNImageBasedRequest: VNRequest, @unchecked Sendable {
  /// The part of the upright picture that is looked at, in fractions of it, from the lower left corner: all of it unless something else is said.
  /// Where it is not within the picture, performing the request fails with the code `invalidArgument`.
  open var regionOfInterest: CGRect {
    get { settings.withLock { $0.regionOfInterest } }
    set { settings.withLock { $0.regionOfInterest = newValue } }
  }
}
