/// The class of a prediction's inputs, or of a training example.
struct SwiftInput {
  private let context: SwiftContext
  private let name: String
  private let title: String
  private let features: [NamedFeature]

  init(_ context: SwiftContext) {
    self.init(context, context.function.inputs, context.classes.input, "Model Prediction Input Type")
  }

  init(training context: SwiftContext) {
    self.init(context, context.model.trainingInputs, context.classes.trainingInput, "Model Update Input Type")
  }

  private init(_ context: SwiftContext, _ features: [ModelFeature], _ name: String, _ title: String) {
    var scope = SwiftNames.scope(context.classes)
    self.context = context
    self.features = scope.take(features)
    (self.name, self.title) = (name, title)
  }

  func write(to code: inout CodeWriter) {
    code.line()
    code.document(title)
    code.line(context.availability)
    code.block("\(context.access)class \(name) : MLFeatureProvider") { code in
      properties(&code)
      provider(&code)
      initializers(&code)
      pictureSetters(&code)
    }
  }

  private func properties(_ code: inout CodeWriter) {
    for feature in features {
      code.line()
      code.document(feature.feature.sentence)
      code.line(
        "\(context.access)var \(feature.swiftName): \(feature.swiftType)" + (feature.isOptional ? "? = nil" : ""))
    }
  }

  // MARK: feature provider

  private func provider(_ code: inout CodeWriter) {
    let names = features.map { Literals.swift($0.feature.name) }.joined(separator: ", ")
    code.line()
    code.line("\(context.access)var featureNames: Set<String> { [\(names)] }")
    code.line()
    code.block("\(context.access)func featureValue(for featureName: String) -> MLFeatureValue?") { code in
      for feature in features {
        code.block("if featureName == \(Literals.swift(feature.feature.name))") { code in
          if feature.isOptional {
            code.line("return self.\(feature.swiftName).map { \(feature.swiftValue(of: "$0")) }")
          } else {
            code.line("return \(feature.swiftValue(of: "self.\(feature.swiftName)"))")
          }
        }
      }
      code.line("return nil")
    }
  }

  // MARK: initializers

  private func initializers(_ code: inout CodeWriter) {
    code.line()
    code.block("\(context.access)init(\(SwiftParameters(features, .values).declaration))") { code in
      for feature in features { code.line("self.\(feature.swiftName) = \(feature.swiftName)") }
    }
    for form in [SwiftParameters.Form.pictures, .files, .shapedArrays] {
      let parameters = SwiftParameters(features, form)
      guard parameters.isOffered else { continue }
      code.line()
      code.guarded(parameters) { code in
        if let member = parameters.availability(in: context.version) {
          code.available(member, in: context.version)
        }
        let throwing = form == .shapedArrays ? "" : " throws"
        code.block("\(context.access)convenience init(\(parameters.declaration))\(throwing)") { code in
          code.line("self.init(\(parameters.arguments))")
        }
      }
    }
  }

  private func pictureSetters(_ code: inout CodeWriter) {
    var scope = NameScope(reserved: Set(features.map(\.identifier)).union(["featureValue"]))
    for feature in features where feature.isImage {
      let setter = scope.take("set\(Identifier.capitalized(feature.identifier))")
      for (type, source) in [("CGImage", "cgImage"), ("URL", "imageAt")] {
        code.line()
        code.available(.images, in: context.version)
        code.block(
          "\(context.access)func \(setter)(with \(feature.swiftName): \(type)) throws"
        ) { code in
          let picture = SwiftParameters.picture(feature, "\(source): \(feature.swiftName)")
          code.line("self.\(feature.swiftName) = \(picture)")
        }
      }
    }
  }
}

extension CodeWriter {
  /// Code that needs `Float16` is excluded where Swift does not have this type.
  mutating func guarded(_ parameters: SwiftParameters, _ body: (inout CodeWriter) -> Void) {
    guarded(parameters.needsF16, body)
  }

  mutating func guarded(_ needsF16: Bool, _ body: (inout CodeWriter) -> Void) {
    if needsF16 { line("#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))") }
    body(&self)
    if needsF16 { line("#endif") }
  }
}
