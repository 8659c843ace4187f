import Foundation

/// Takes damaged items of a store out of use, before an update decides what to fetch.
struct StoreHealing {
  let store: ModelStore
  let cache: CompiledModelCache

  /// Sets damaged models aside: those whose file metadata has changed, and if a full verification is due, all damaged
  /// models and compiled models.
  ///
  /// - Parameters:
  ///   - interval: the interval of full verifications; nil for never.
  ///   - now: the current time; nil verifies everything at once.
  /// - Returns: the damage found.
  func heal(every interval: Duration?, now: Date? = Date()) throws -> [DeliveryError] {
    var found: [DeliveryError] = []
    for digest in try store.digests() {
      do { _ = try store.lease(digest) } catch let error as DeliveryError where error.code == .damagedModel {
        found.append(error)
      } catch {
        // An item that is temporarily unreadable or was removed is not damaged.
      }
    }
    let schedule = interval.map { VerifySchedule(store.places, every: $0) }
    guard try now == nil || schedule?.isDue(now ?? Date()) == true else { return found }
    for finding in try store.repair(store.verify(cache), cache) {
      let outcome = finding.outcome.map { "; \($0)" } ?? ""
      let code: DeliveryError.Code =
        switch finding.kind {
        case .damagedModel, .damagedCompiledModel: .damagedModel
        case .missingModel: .notInStore
        case .damagedRecord: .damagedRecord
        case .untrusted: .untrusted
        case .unreadable: .unreadable
        }
      found.append(DeliveryError(code, "\(finding.message)\(outcome)", file: finding.path))
    }
    try schedule?.done(now ?? Date())
    return found
  }
}
