import Dispatch

/// Sessions of failed predictions whose devices are still running commands. Their memory is kept until the commands
/// complete, without blocking the caller.
enum RetiredSessions {
  static func retire(_ session: Session) {
    let kept = Kept(session: session)
    DispatchQueue.global(qos: .utility).async { kept.session.drain() }
  }

  /// Sendable: no other code has a reference to the session.
  private struct Kept: @unchecked Sendable {
    let session: Session
  }
}
