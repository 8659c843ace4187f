/// The header `traceparent` of W3C Trace Context.
package struct TraceContext: Sendable, Equatable {
  package var traceID: String
  package var parentID: String
  package var isSampled: Bool

  /// Nil if the header does not have the form of the standard, which says to ignore it then.
  package init?(traceparent: String) {
    let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff", parts.count == 4 || parts[0] != "00",
      parts[1].utf8.count == 32, parts[2].utf8.count == 16, parts[3].utf8.count == 2,
      parts.prefix(4).allSatisfy({ $0.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) } }),
      parts[1].utf8.contains(where: { $0 != 0x30 }), parts[2].utf8.contains(where: { $0 != 0x30 }),
      let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    (traceID, parentID, isSampled) = (String(parts[1]), String(parts[2]), flags & 1 == 1)
  }
}
