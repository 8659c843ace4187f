enum ConstantsReference {
  static let all: [Reference] = [
    Reference("const") { [try $0.value("val")] },
    Reference("identity") { [try $0.value("x")] },
  ]
}
