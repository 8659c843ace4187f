// swift-format-ignore-file
import CoreML

// Models with several functions, in memory and in files.
struct Adapter { let name: String; let model: MLModel
    static func all(in url: URL) async throws -> [Adapter] {
        let asset = try MLModelAsset(url: url)
        let names = try await asset.functionNames
        return try await withThrowingTaskGroup(of: Adapter.self) { group in
            for name in names {
                group.addTask {
                    let configuration = MLModelConfiguration()
                    configuration.functionName = name
                    return Adapter(name: name, model: try await MLModel.load(contentsOf: url, configuration: configuration))
                }
            }
            var all: [Adapter] = []
            for try await adapter in group { all.append(adapter) }
            return all.sorted { $0.name < $1.name }
        }
    }
}
enum SeveralFunctions {
    static func run() async throws -> [String] {
        var wrong: [String] = []
        func check(_ b: Bool, _ s: String) { if !b { wrong.append(s) } }
        let url = try await MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: "generate/functions.mlpackage"))
        let adapters = try await Adapter.all(in: url)
        check(adapters.map(\.name) == ["double", "half-life"], "\(adapters.map(\.name))")
        let x = MLTensor([Float(2), 4, 6])
        var outs: [[Float]] = []
        for a in adapters { outs.append(await (try await a.model.prediction(from: ["x": x])["y"]!).shapedArray(of: Float.self).scalars) }
        check(outs[0] != outs[1] && outs[0] == [4, 8, 12], "\(outs)")
        let asset = try MLModelAsset(url: url)
        let d: MLModelDescription? = try await asset.modelDescription(of: "double")
        check(d?.inputDescriptionsByName["x"]?.multiArrayConstraint?.shape == [3], "\(String(describing: d))")
        let described: MLModelDescription? = await withCheckedContinuation { c in asset.modelDescription(ofFunctionNamed: "half-life") { d, e in c.resume(returning: d) } }
        check(described != nil, "described")
        do { _ = try await asset.modelDescription(of: "none"); wrong.append("none") } catch {}
        let c = MLModelConfiguration(); c.functionName = "none"
        do { _ = try await MLModel.load(contentsOf: url, configuration: c); wrong.append("loaded none") } catch {}
        let memory = try MLModelAsset(specification: Data(contentsOf: SampleCodeChecks.cases().appending(path: "interface/sums.mlmodel")))
        let m = try await MLModel.load(asset: memory, configuration: .init())
        check(m.modelDescription.inputDescriptionsByName["a"]?.multiArrayConstraint?.shapeConstraint.type == .range, "range")
        let ranges = m.modelDescription.inputDescriptionsByName["a"]!.multiArrayConstraint!.shapeConstraint.sizeRangeForDimension.map { $0.rangeValue }
        check(ranges[0] == NSRange(location: 1, length: 8), "\(ranges)")
        check(try await memory.functionNames.isEmpty, "names")
        let (description, _) = try await (memory.modelDescription, 1)
        check(description.outputDescriptionsByName.count == 2, "outputs")
        return wrong
    }
}
