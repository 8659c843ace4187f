import Foundation

/// The schedule of full store verifications. Random offsets spread the load of devices that were set up at the same
/// time.
struct VerifySchedule {
  private struct Record: Codable { let due: Date }

  let file: URL
  let interval: Duration

  init(_ places: DeliveryDirectories, every interval: Duration) {
    file = places.state.appending(path: "verify.json")
    self.interval = interval
  }

  /// Returns whether a verification is due. The first call schedules the first verification. A due date too far in the
  /// future comes from a wrong clock and is replaced.
  func isDue(_ now: Date) throws -> Bool {
    let due = (try? DurableFile.read(json: Record.self, at: file)).flatMap { $0 }?.due
    let seconds = interval / .seconds(1)
    guard let due, due.timeIntervalSince(now) <= seconds * 1.1 else {
      try set(now.addingTimeInterval(seconds * .random(in: 0...1)))
      return false
    }
    return due <= now
  }

  func done(_ now: Date) throws { try set(now.addingTimeInterval(interval / .seconds(1) * .random(in: 0.9...1.1))) }

  private func set(_ due: Date) throws { try DurableFile.write(json: Record(due: due), to: file) }
}

extension ModelStore {
  /// Sets damaged models aside: those whose file metadata has changed, and if a full verification is due, all damaged
  /// models and compiled models.
  ///
  /// - Parameters:
  ///   - interval: the interval of full verifications; nil for never.
  ///   - now: the current time; nil verifies everything at once.
  /// - Returns: the damage found.
  func heal(_ cache: CompiledModelCache, every interval: Duration?, now: Date? = Date()) throws -> [DeliveryError] {
    var found: [DeliveryError] = []
    for digest in try digests() {
      do { _ = try lease(digest) } catch let error as DeliveryError where error.code == .damagedModel {
        found.append(error)
      } catch {
        // An item that is temporarily unreadable or was removed is not damaged.
      }
    }
    let schedule = interval.map { VerifySchedule(places, every: $0) }
    guard try now == nil || schedule?.isDue(now ?? Date()) == true else { return found }
    for finding in try repair(verify(cache), cache) {
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

extension ChannelCore {
  /// Removes damaged models from use before the update decides what to fetch. Errors here do not prevent the update.
  func heal() {
    do {
      let now = options.verifiesNow ? nil : Date()
      let found = try store.heal(cache, every: options.verifyInterval, now: now)
      for error in found { tell(error, model: nil) }
      // Open models switch to intact ones.
      if !found.isEmpty { refreshAll() }
    } catch { tell(error, model: nil) }
  }
}
