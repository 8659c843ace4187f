import Logging
import Synchronization

/// Log messages written once per process.
enum SecretNotes {
  private static let told = Mutex(false)

  /// Reports that the system does not lock the memory of decrypted models (`RLIMIT_MEMLOCK`).
  static func tell(_ refusal: String) {
    let isNew = told.withLock { told in
      defer { told = true }
      return !told
    }
    guard isNew else { return }
    Logger(label: "coreml.delivery").notice(
      "decrypted models may be swapped: their memory cannot be locked (\(refusal)); RLIMIT_MEMLOCK says how much can be"
    )
  }
}
