import Foundation

/// When the store is read again from end to end. Devices that were set up together do not do it together.
struct VerifySchedule {
  private struct Record: Codable { let due: Date }

  let file: URL
  let interval: Duration

  init(_ places: DeliveryDirectories, every interval: Duration) {
    file = places.state.appending(path: "verify.json")
    self.interval = interval
  }

  /// Whether it is time. The first time is set when this is asked first; a time that is too far away was told by a wrong clock.
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
  /// Takes damaged models out of use: those of which the file system says something else than when they were whole, and, when it is time,
  /// any, compiled forms among them.
  ///
  /// - Parameters:
  ///   - interval: how often everything is read; nil for never.
  ///   - now: nil to read everything at once.
  /// - Returns: what was found.
  func heal(_ cache: CompiledModelCache, every interval: Duration?, now: Date? = Date()) throws -> [DeliveryError] {
    var found: [DeliveryError] = []
    for digest in try digests() {
      do { _ = try lease(digest) } catch let error as DeliveryError where error.code == .damagedModel {
        found.append(error)
      } catch {
        // What cannot be looked at now, or went, is no damage.
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
  /// Has damaged models gone before it is decided what is to be fetched. What cannot be looked at keeps nothing from being updated.
  func heal() {
    do {
      let now = options.verifiesNow ? nil : Date()
      let found = try store.heal(cache, every: options.verifyInterval, now: now)
      for error in found { tell(error, model: nil) }
      // Models that are open go on with what is whole.
      if !found.isEmpty { refreshAll() }
    } catch { tell(error, model: nil) }
  }
}
