import MIL

extension KernelTable {
  /// The row of a site whose outputs have no elements: rows of nothing are not walked through, however many there are.
  public static func nothing(at site: Site) -> (row: Row, offer: Offer)? {
    guard !site.outputs.isEmpty, site.outputs.allSatisfy({ $0.elementCount == 0 }),
      site.invocation.operation.code == nil
    else { return nil }
    let offer = Offer(efficiency: 1, work: Work(flops: 0, bytes: 0)) { .cpu { _ in } }
    return (Row("nothing", for: site.operation) { _ in offer }, offer)
  }
}
