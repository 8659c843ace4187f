extension References {
  static let constants: [Reference] = [
    Reference("const") { [try $0.value("val")] },
    Reference("identity") { [try $0.value("x")] },
  ]
}
