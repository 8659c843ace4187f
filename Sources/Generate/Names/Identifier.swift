import Foundation

/// Identifiers derived from arbitrary names.
package enum Identifier {
  /// Letters, digits and underscores of any script. Any other character becomes an underscore, and a leading digit gets
  /// one in front. `CO2 Emissions(g/km)` becomes `CO2_Emissions_g_km_`, `963` becomes `_963`.
  package static func of(_ name: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in name.precomposedStringWithCompatibilityMapping.unicodeScalars {
      scalars.append(isPart(scalar) ? scalar : "_")
    }
    if let first = scalars.first, first != "_", !first.properties.isXIDStart {
      scalars.insert("_", at: scalars.startIndex)
    }
    let identifier = String(scalars)
    // Underscores alone have another meaning, or none, in every language.
    return identifier.allSatisfy { $0 == "_" } ? "\(identifier.isEmpty ? "_" : identifier)feature" : identifier
  }

  /// Whether a text is already an identifier.
  package static func isIdentifier(_ text: String) -> Bool {
    of(text).unicodeScalars.elementsEqual(text.unicodeScalars)
  }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    // Joiners and other invisible marks would make two names look alike.
    scalar == "_"
      || scalar.properties.isXIDContinue && scalar.properties.generalCategory != .format
        && !scalar.properties.isDefaultIgnorableCodePoint
  }

  /// The identifier with its first letter in upper case if it is ASCII. Compilers capitalize only ASCII letters.
  static func capitalized(_ identifier: String) -> String {
    guard let first = identifier.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
      return identifier
    }
    return identifier.prefix(1).uppercased() + identifier.dropFirst()
  }
}
