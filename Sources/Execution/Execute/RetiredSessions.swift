import Dispatch

/// Sessions of predictions that ended with an error while a device was at work for them. Their memory stays until it has ended, and nobody
/// waits for that.
enum RetiredSessions {
  static func retire(_ session: Session) {
    let kept = Kept(session: session)
    DispatchQueue.global(qos: .utility).async { kept.session.drain() }
  }

  /// Nobody else has the session any more.
  private struct Kept: @unchecked Sendable {
    let session: Session
  }
}
