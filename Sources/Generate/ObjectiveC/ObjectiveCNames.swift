/// Names that Objective-C reserves.
enum ObjectiveCNames {
  /// Keywords of C and Objective-C, and macros of the system and of builds.
  private static let words: Set<String> = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "asm", "typeof",
    "id", "self", "super", "nil", "Nil", "NULL", "YES", "NO", "BOOL", "SEL", "IMP", "Class", "Protocol", "in", "out",
    "inout", "bycopy", "byref", "oneway", "instancetype", "true", "false", "bool", "TRUE", "FALSE", "DEBUG", "NDEBUG",
    "IBOutlet", "IBAction", "IBInspectable", "I", "complex", "imaginary", "EOF", "BUFSIZ", "RAND_MAX", "INFINITY",
    "NAN", "HUGE_VAL", "OVERFLOW", "UNDERFLOW", "DOMAIN", "errno", "stdin", "stdout", "stderr", "linux", "unix",
    // Additional keywords of Objective-C++.
    "class", "new", "delete", "this", "template", "namespace", "operator", "private", "public", "protected", "using",
    "virtual", "friend", "try", "catch", "throw", "and", "or", "not", "xor", "bitand", "bitor", "compl", "and_eq",
    "or_eq", "not_eq", "xor_eq", "explicit", "export", "mutable", "typename", "typeid", "decltype", "constexpr",
    "nullptr", "noexcept", "alignas", "alignof", "thread_local", "static_assert", "wchar_t", "char8_t", "char16_t",
    "char32_t", "concept", "requires", "co_await", "co_return", "co_yield", "const_cast", "dynamic_cast",
    "reinterpret_cast", "static_cast", "consteval", "constinit",
  ]

  /// Names whose instance variables, with an underscore in front, would be compiler keywords.
  private static let underscored: Set<String> = [
    "Accum", "Alignas", "Alignof", "Atomic", "BitInt", "Bool", "Complex", "Decimal128", "Decimal32", "Decimal64",
    "ExtInt", "Float16", "Fract", "Generic", "Imaginary", "Nonnull", "Noreturn", "Null_unspecified", "Nullable",
    "Nullable_result", "Pragma", "Sat", "Static_assert", "Thread_local",
  ]

  /// Types and constants that the generated code uses.
  private static let types: Set<String> = [
    "NSObject", "NSSet", "NSString", "NSNumber", "NSError", "NSURL", "NSDictionary", "NSArray", "NSMutableArray",
    "NSBundle", "NSInteger", "NSUInteger", "NSCocoaErrorDomain", "NSFileNoSuchFileError", "int64_t", "CGImageRef",
    "CVPixelBufferRef", "CVPixelBufferRetain", "CVPixelBufferRelease", "MLModel", "MLModelConfiguration", "MLState",
    "MLFeatureProvider", "MLFeatureValue", "MLMultiArray", "MLSequence", "MLPredictionOptions", "MLBatchProvider",
    "MLArrayBatchProvider", "kCVPixelFormatType_32ARGB", "kCVPixelFormatType_OneComponent8",
    "kCVPixelFormatType_OneComponent16Half",
  ]

  /// Members of every object and of the generated classes, and parameter names of the methods.
  private static let members: Set<String> = [
    "description", "debugDescription", "hash", "superclass", "isProxy", "retain", "release", "autorelease",
    "retainCount", "zone", "dealloc", "copy", "mutableCopy", "init", "alloc", "load", "initialize", "featureNames",
    "provider", "model", "error", "input", "options", "configuration", "state", "handler", "featureName", "inputArray",
    "values", "value_",
  ]

  static func scope(_ classes: Set<String>) -> NameScope {
    NameScope(reserved: words.union(underscored).union(types).union(members).union(classes))
  }

  static func typeName(_ name: String) -> String {
    words.contains(name) || types.contains(name) ? "\(name)_" : name
  }

  /// The name of a property.
  static func property(_ identifier: String) -> String {
    let bare = identifier.drop { $0 == "_" }
    // Leading underscores before a letter are reserved for the compiler, also in an instance variable's name.
    if bare.count < identifier.count, bare.first?.isASCII != true || bare.first?.isNumber != true {
      return "the\(identifier)"
    }
    // ARC treats results of methods with these prefixes as owned by the caller.
    return ["new", "alloc", "copy", "mutableCopy", "init"].contains { bare.hasPrefix($0) }
      ? "the_\(identifier)" : identifier
  }
}

/// The features of a class: their properties and selector parts.
struct ObjectiveCFeatures {
  let features: [NamedFeature]
  /// The images, with the local variables for values that are made from pictures.
  let pictures: [(image: NamedFeature, value: String)]

  /// - Parameter classes: The class names of the same function.
  init(_ features: [ModelFeature], beside classes: Set<String>) {
    var scope = ObjectiveCNames.scope(classes)
    // Properties that differ only in the case of their first letter share a setter.
    var setters: Set<String> = []
    let named = features.map { feature in
      let name = scope.take(ObjectiveCNames.property(Identifier.of(feature.name))) {
        setters.contains(Identifier.capitalized($0))
      }
      setters.insert(Identifier.capitalized(name))
      return NamedFeature(feature, name)
    }
    self.features = named
    pictures = named.filter(\.isImage).map { ($0, scope.take("\($0.identifier)Value_")) }
  }

  /// `prefixWithFirst:(type)first second:(type)second`; only the prefix without features.
  func selector(_ prefix: String, form: ObjectiveCRendering = .values) -> String {
    guard let first = features.first else { return prefix }
    let rest = features.dropFirst().map { " \(form.label($0)):(\(form.type($0)))\($0.identifier)" }.joined()
    return
      "\(prefix)\(Identifier.capitalized(form.label(first))):(\(form.type(first)))\(first.identifier)\(rest)"
  }

  /// The same as a call with arguments.
  func call(_ prefix: String, _ argument: (NamedFeature) -> String) -> String {
    guard let first = features.first else { return prefix }
    let rest = features.dropFirst().map { " \($0.identifier):\(argument($0))" }.joined()
    return "\(prefix)\(Identifier.capitalized(first.identifier)):\(argument(first))\(rest)"
  }
}

/// The type of a picture argument.
enum ObjectiveCRendering {
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
