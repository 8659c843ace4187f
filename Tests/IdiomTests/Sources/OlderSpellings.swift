// swift-format-ignore-file
import CoreML

/// Deprecated names of Apple's framework.
enum OlderSpellings {
    static func run(_ model: URL) throws -> [String] {
        var wrong: [String] = []
        let state = try MLModel(contentsOf: model).makeState()
        let name = state.stateNames[0]
        let count = state.withMultiArray(name) { (array: MLMultiArray) in array[0] = 7; return array.count }
        let (same, first) = state.withMultiArray(for: name) { ($0.count, $0[0].intValue) }
        if count != same || first != 7 { wrong.append("the state is \(same) numbers, the first one \(first)") }
        return wrong
    }
}
