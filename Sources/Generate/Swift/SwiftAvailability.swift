/// The Apple systems that support a specification version. The attributes let the generated code build there as well.
enum SwiftAvailability {
  /// `@available(...)` for features of a specification version.
  static func attribute(_ version: Int) -> String { "@available(\(Availability.of(version).swift), *)" }

  /// The specification version for members that are newer than their class, such as initializers from images or loading
  /// in the background.
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
  /// Writes the attribute of a member that is newer than its class.
  mutating func available(_ member: SwiftAvailability.Member, in version: Int) {
    if member.rawValue > version { line(SwiftAvailability.attribute(member.rawValue)) }
  }
}
