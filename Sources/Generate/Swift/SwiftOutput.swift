/// The class of a prediction's outputs.
struct SwiftOutput {
  private let context: SwiftContext
  private let features: [NamedFeature]
  /// By identifier: the name of a multi-array's property as a shaped array.
  private let shaped: [String: String]
  /// The name of the property with the label's enumeration case; nil if there is none.
  private let labelCase: String?

  init(_ context: SwiftContext) {
    self.context = context
    var scope = SwiftNames.scope(context.classes)
    features = scope.take(context.function.outputs)
    var shaped: [String: String] = [:]
    for feature in features where feature.swiftScalar != nil {
      shaped[feature.identifier] = scope.take("\(feature.identifier)ShapedArray")
    }
    self.shaped = shaped
    let predicted = features.first { $0.feature.name == context.function.predicted }
      .flatMap { SwiftLabels(context)?.areValues(of: $0) == true ? $0 : nil }
    labelCase = predicted.map { scope.take("\($0.identifier)Case") }
  }

  func write(to code: inout CodeWriter) {
    code.line()
    code.document("Model Prediction Output Type")
    code.line(context.availability)
    code.block("\(context.access)class \(context.classes.output) : MLFeatureProvider") { code in
      code.line()
      code.document("Source provided by CoreML")
      code.line("private let provider : \(context.any)MLFeatureProvider")
      for feature in features { property(feature, &code) }
      provider(&code)
      initializers(&code)
    }
  }

  private func property(_ feature: NamedFeature, _ code: inout CodeWriter) {
    code.line()
    code.document(feature.feature.sentence)
    let value = "self.provider.featureValue(for: \(Literals.swift(feature.feature.name)))"
    code.block(
      "\(context.access)var \(feature.swiftName): \(feature.swiftType)\(feature.isOptional ? "?" : "")"
    ) { code in
      if feature.isOptional {
        code.line("\(value).flatMap { \(feature.swiftOptionalContent) }")
      } else {
        code.line(feature.swiftContent(of: "\(value)!"))
      }
    }
    if let scalar = feature.swiftScalar { shapedProperty(feature, scalar, &code) }
    if feature.feature.name == context.function.predicted, let labelCase {
      let label = context.classes.label
      let value =
        feature.isOptional
        ? "self.\(feature.swiftName).flatMap { \(label)(rawValue: $0) }"
        : "\(label)(rawValue: self.\(feature.swiftName))"
      code.line()
      code.document("The class that \(feature.swiftName) names, where it is one of the model's.")
      code.line("\(context.access)var \(labelCase): \(label)? { \(value) }")
    }
  }

  private func shapedProperty(_ feature: NamedFeature, _ scalar: String, _ code: inout CodeWriter) {
    code.line()
    code.guarded(scalar == "Float16") { code in
      code.document(feature.feature.sentence)
      code.available(feature.swiftShapedAvailability, in: context.version)
      let name = shaped[feature.identifier] ?? "\(feature.identifier)ShapedArray"
      let type = "MLShapedArray<\(scalar)>"
      code.block("\(context.access)var \(name): \(type)\(feature.isOptional ? "?" : "")") { code in
        code.line(
          feature.isOptional ? "self.\(feature.swiftName).map { \(type)($0) }" : "\(type)(self.\(feature.swiftName))")
      }
    }
  }

  private func provider(_ code: inout CodeWriter) {
    code.line()
    code.block("\(context.access)var featureNames: Set<String>") { $0.line("self.provider.featureNames") }
    code.line()
    code.block("\(context.access)func featureValue(for featureName: String) -> MLFeatureValue?") { code in
      code.line("self.provider.featureValue(for: featureName)")
    }
  }

  private func initializers(_ code: inout CodeWriter) {
    code.line()
    let optional = features.contains(where: \.isOptional)
    code.block("\(context.access)init(\(SwiftParameters(features, .values).declaration))") { code in
      let entries = features.filter { !$0.isOptional }.map {
        "\(Literals.swift($0.feature.name)) : \($0.swiftValue(of: $0.swiftName))"
      }
      let dictionary = entries.isEmpty ? "[:]" : "[\(entries.joined(separator: ", "))]"
      if optional {
        code.line("var values_: [String : Any] = \(dictionary)")
        for feature in features where feature.isOptional {
          let place = "values_[\(Literals.swift(feature.feature.name))]"
          code.line("if let \(feature.swiftName) { \(place) = \(feature.swiftValue(of: feature.swiftName)) }")
        }
      }
      code.line(
        "self.provider = \(SwiftNames.tryForced) MLDictionaryFeatureProvider(dictionary: \(optional ? "values_" : dictionary))"
      )
    }
    code.line()
    code.block("\(context.access)init(features: \(context.any)MLFeatureProvider)") {
      $0.line("self.provider = features")
    }
  }
}
