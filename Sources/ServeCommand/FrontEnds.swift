import CoreMLServingInterface

/// The protocols that the server speaks.
enum FrontEnds {
  static func all(_ options: ServeOptions) -> [any FrontEnd] { [] }
}
