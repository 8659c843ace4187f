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
