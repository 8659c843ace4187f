import CoreMLKernels
import MIL

/// Picks the row for an operation on a device: the cheapest that accepts, the earlier one when two cost the same.
struct Choose {
  let profile: DeviceProfile
  let device: DeviceKind

  struct Pick {
    let row: Row
    let offer: Offer
    /// Estimated seconds.
    let cost: Double
  }

  /// Nil when no row takes the operation. Every row that is passed over leaves a reason.
  func callAsFunction(_ site: Site, work: Work) throws -> (pick: Pick?, refusals: [(row: String, reason: String)]) {
    if device == .cpu, let nothing = KernelTable.nothing(at: site) {
      return (Pick(row: nothing.row, offer: nothing.offer, cost: 0), [])
    }
    var refusals: [(row: String, reason: String)] = []
    var best: Pick?
    for row in KernelTable.rows(for: site.invocation.operation, on: device) {
      do {
        let offer = try row.offer(site)
        let cost = profile.cost(of: offer, work)
        if let passed = best, cost >= passed.cost {
          refusals.append((row.name, "costs \(seconds(cost)), \(passed.row.name) \(seconds(passed.cost))"))
        } else {
          if let passed = best {
            refusals.append((passed.row.name, "costs \(seconds(passed.cost)), \(row.name) \(seconds(cost))"))
          }
          best = Pick(row: row, offer: offer, cost: cost)
        }
      } catch let refusal as Refusal {
        refusals.append((row.name, refusal.reason))
      }
    }
    return (best, refusals)
  }

  private func seconds(_ cost: Double) -> String {
    "\((cost * 1e7).rounded() / 10) us"
  }
}
