/// The systems of Apple's that have what a specification version has, so that the code builds there as well.
enum SwiftAvailability {
  /// `@available(...)` of what came with a specification version.
  static func attribute(_ version: Int) -> String { "@available(\(Availability.of(version).swift), *)" }

  /// What models of multi-arrays need, loading without blocking, and so on: attributes of members that are newer than their class.
  enum Member: Int {
    case images = 4
    case loadingInBackground = 5
    case shapedArrays = 6
    case halfArrays = 7
    case predictingInBackground = 8
    case states = 9
    case byteArrays = 10
  }
}

extension CodeWriter {
  /// The attribute of a member that is newer than its class.
  mutating func available(_ member: SwiftAvailability.Member, in version: Int) {
    if member.rawValue > version { line(SwiftAvailability.attribute(member.rawValue)) }
  }
}
