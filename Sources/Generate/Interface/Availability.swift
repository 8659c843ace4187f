/// The first versions of Apple's systems that open models of a specification version.
package struct Availability: Sendable {
  /// System names as in Apple's tools, in their order.
  package let systems: [(name: String, version: String)]

  package static func of(_ specificationVersion: Int) -> Availability {
    let rows: [[String]] = [
      ["10.13", "11.0", "11.0", "4.0"], ["10.13.2", "11.2", "11.2", "4.2"], ["10.14", "12.0", "12.0", "5.0"],
      ["10.15", "13.0", "13.0", "6.0"], ["11.0", "14.0", "14.0", "7.0"], ["12.0", "15.0", "15.0", "8.0"],
      ["13.0", "16.0", "16.0", "9.0"], ["14.0", "17.0", "17.0", "10.0"], ["15.0", "18.0", "18.0", "11.0"],
      ["26.0", "26.0", "26.0", "26.0"],
    ]
    let vision = specificationVersion >= 10 ? "26.0" : specificationVersion == 9 ? "2.0" : "1.0"
    let row = rows[min(max(specificationVersion, 1), rows.count) - 1]
    return Availability(systems: Array(zip(["macOS", "iOS", "tvOS", "watchOS", "visionOS"], row + [vision])))
  }

  /// The arguments of `@available`.
  package var swift: String { systems.map { "\($0.name) \($0.version)" }.joined(separator: ", ") }
}
