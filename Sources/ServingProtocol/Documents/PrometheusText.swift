import CoreMLServingInterface

/// Metrics in Prometheus' text format, version 0.0.4.
package struct PrometheusText {
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  package typealias Labels = [(name: String, value: String)]

  package private(set) var text = ""

  package init() {}

  package mutating func family(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  package mutating func sample(_ name: String, _ labels: Labels, _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{"
      for (index, label) in labels.enumerated() {
        if index > 0 { text += "," }
        text += "\(label.name)=\"\(Self.escaped(label.value))\""
      }
      text += "}"
    }
    text += " \(value)\n"
  }

  package mutating func sample(_ name: String, _ labels: Labels, _ value: UInt64) {
    sample(name, labels, String(value))
  }

  /// Cumulative buckets, the sum and the count.
  package mutating func histogram(
    _ name: String, _ labels: Labels, bounds: [Double], counts: [UInt64], sum: Double
  ) {
    var total: UInt64 = 0
    for (index, count) in counts.enumerated() {
      total += count
      let bound = index < bounds.count ? Self.number(bounds[index]) : "+Inf"
      sample("\(name)_bucket", labels + [("le", bound)], total)
    }
    sample("\(name)_sum", labels, Self.number(sum))
    sample("\(name)_count", labels, total)
  }

  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for character in value.unicodeScalars {
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}
