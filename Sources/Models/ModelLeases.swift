import CoreMLDelivery
import Foundation
import Synchronization

/// The models of the store and of the compile cache that a program uses. Their files stay on disk while it holds their leases.
///
/// Thread-safe.
package final class ModelLeases: Sendable {
  private let state = Mutex<(leases: [ModelLease], digests: [URL: String])>(([], [:]))

  package init() {}

  /// - Parameter model: the installed model that the lease protects; its digest is known then.
  package func keep(_ lease: ModelLease, of model: StoredModel? = nil) {
    state.withLock {
      $0.leases.append(lease)
      if let model { $0.digests[model.url] = model.digest }
    }
  }

  /// The known digest of an installed model; nil for other models.
  package func digest(of url: URL) -> String? { state.withLock { $0.digests[url] } }

  /// Deletes the leases, which are files.
  package func release() { state.withLock { $0.leases = [] } }
}
