/// What Objective-C does not take as it stands.
enum ObjectiveCNames {
  /// Words of C and Objective-C, and macros and types of the system that a name must not be.
  private static let words: Set<String> = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static",
    "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "_Bool", "_Complex", "_Imaginary",
    "id", "self", "super", "nil", "Nil", "NULL", "YES", "NO", "BOOL", "SEL", "IMP", "Class", "Protocol", "in", "out",
    "inout", "bycopy", "byref", "oneway", "true", "false", "bool", "asm", "typeof", "class", "new", "delete", "this",
    "template", "namespace", "operator", "private", "public", "protected", "using", "virtual", "friend", "try", "catch",
    "throw",
  ]

  /// Members of every object, and of the classes themselves; and what methods call their own arguments.
  private static let members: Set<String> = [
    "description", "debugDescription", "hash", "superclass", "isProxy", "retain", "release", "autorelease",
    "retainCount", "zone",
    "dealloc", "copy", "mutableCopy", "init", "alloc", "load", "initialize", "featureNames", "provider", "model",
    "error", "errno",
    "input", "options", "configuration", "state", "handler", "featureName", "inputArray", "values", "value_",
    "MLFeatureValue",
    "CVPixelBufferRetain", "CVPixelBufferRelease", "NSSet", "NSString", "NSNumber", "NSError", "NSURL",
  ]

  static func scope() -> NameScope { NameScope(reserved: words.union(members)) }

  static func typeName(_ name: String) -> String { words.contains(name) ? "\(name)_" : name }
}

/// The features of a class: properties, and what selectors have for them.
struct ObjectiveCFeatures {
  let features: [NamedFeature]

  init(_ features: [ModelFeature]) {
    var scope = ObjectiveCNames.scope()
    self.features = scope.take(features).map { feature in
      // Methods of such names would own what they give.
      let owning = ["new", "alloc", "copy", "mutableCopy", "init"].contains { feature.identifier.hasPrefix($0) }
      return owning ? NamedFeature(feature.feature, scope.take("the_\(feature.identifier)")) : feature
    }
  }

  /// `prefixWithFirst:(type)first second:(type)second`; the prefix alone where there are none.
  func selector(_ prefix: String, form: ObjectiveCForm = .values) -> String {
    guard let first = features.first else { return prefix }
    let rest = features.dropFirst().map { " \(form.label($0)):(\(form.type($0)))\($0.identifier)" }.joined()
    return
      "\(prefix)\(Identifier.capitalized(form.label(first))):(\(form.type(first)))\(first.identifier)\(rest)"
  }

  /// The same with arguments, as it is called.
  func call(_ prefix: String, _ argument: (NamedFeature) -> String) -> String {
    guard let first = features.first else { return prefix }
    let rest = features.dropFirst().map { " \($0.identifier):\(argument($0))" }.joined()
    return "\(prefix)\(Identifier.capitalized(first.identifier)):\(argument(first))\(rest)"
  }
}

/// What pictures are given as.
enum ObjectiveCForm {
  case values
  case pictures
  case files

  func label(_ feature: NamedFeature) -> String {
    guard feature.isImage else { return feature.identifier }
    switch self {
    case .values: return feature.identifier
    case .pictures: return "\(feature.identifier)FromCGImage"
    case .files: return "\(feature.identifier)AtURL"
    }
  }

  func type(_ feature: NamedFeature) -> String {
    guard feature.isImage else { return feature.objectiveCType }
    switch self {
    case .values: return feature.objectiveCType
    case .pictures: return "CGImageRef"
    case .files: return "NSURL *"
    }
  }
}
