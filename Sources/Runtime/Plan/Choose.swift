import CoreMLKernels
import MIL

/// Picks the row for an operation on a device: the cheapest that accepts, the earlier one when two cost the same.
struct Choose {
  let profile: DeviceProfile
  let device: DeviceKind
  let threads: Int

  struct Pick {
    let row: Row
    let offer: Offer
    let cost: Double
    let refusals: [(row: String, reason: String)]
  }

  /// Nil when no row takes the operation; the refusals then say why.
  func callAsFunction(_ site: Site, work: Work) throws -> (pick: Pick?, refusals: [(row: String, reason: String)]) {
    var refusals: [(row: String, reason: String)] = []
    var best: (row: Row, offer: Offer, cost: Double)?
    for row in KernelTable.rows(for: site.operation, on: device) {
      do {
        let offer = try row.offer(site)
        let cost = cost(of: offer, work)
        if best.map({ cost < $0.cost }) ?? true { best = (row, offer, cost) }
      } catch let refusal as Refusal {
        refusals.append((row.name, refusal.reason))
      }
    }
    guard let best else { return (nil, refusals) }
    return (Pick(row: best.row, offer: best.offer, cost: best.cost, refusals: refusals), refusals)
  }

  private func cost(of offer: Offer, _ work: Work) -> Double {
    let work = offer.work ?? work
    guard offer.alias == nil else { return 0 }
    let arithmetic = work.flops / (profile.peakFlops * max(offer.efficiency, 1e-6))
    return max(arithmetic, work.bytes / profile.bandwidth) + profile.launch
  }
}
