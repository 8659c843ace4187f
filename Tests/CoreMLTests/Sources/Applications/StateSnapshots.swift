// swift-format-ignore-file
import CoreML

// States that are stored, forked and restored: prefix caches of language models.
struct StateSnapshot: Codable, Sendable { var buffers: [String: Data]
    init(_ state: MLState, of model: MLModel) {
        buffers = [:]
        for name in model.modelDescription.stateDescriptionsByName.keys {
            buffers[name] = state.withMultiArray(for: name) { array in array.withUnsafeBytes { Data($0) } }
        }
    }
    func restore(into state: MLState) { for (name, data) in buffers { state.withMultiArray(for: name) { array in array.withUnsafeMutableBytes { raw, _ in data.withUnsafeBytes { raw.copyMemory(from: $0) } } } } } }
actor Chat { let model: MLModel; private var states: [Int: MLState] = [:]
    init(_ m: MLModel) { model = m }
    func say(_ token: Int32, in chat: Int) async throws -> Int32 {
        let state = states[chat, default: model.makeState()]
        states[chat] = state
        let out = try await model.prediction(from: ["inputIds": MLTensor(shape: [1, 1], scalars: [token])], using: state)
        return await out["logits"]!.argmax(alongAxis: -1).shapedArray(of: Int32.self).scalars[0]
    }
    func fork(_ a: Int, _ b: Int) { guard let s = states[a] else { return }; let n = model.makeState(); StateSnapshot(s, of: model).restore(into: n); states[b] = n } }
enum StateSnapshots {
    static func run() async throws -> [String] {
        var wrong: [String] = []
        let model = try await MLModel.load(contentsOf: MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: "models/states/decoder.mlpackage")))
        let chat = Chat(model)
        for t in [Int32(1), 2, 3, 1, 1] { _ = try await chat.say(t, in: 0) }
        await chat.fork(0, 1)
        async let a = chat.say(1, in: 0)
        async let b = chat.say(1, in: 1)
        let (x, y) = try await (a, b)
        _ = try await chat.say(1, in: 2)
        if x != y { wrong.append("fork \(x) \(y)") }

        let state = model.makeState()
        let snap = StateSnapshot(state, of: model)
        let back = try JSONDecoder().decode(StateSnapshot.self, from: JSONEncoder().encode(snap))
        if back.buffers["seen"]?.count != 16 || back.buffers["seen"]?.allSatisfy({ $0 == 0 }) != true { wrong.append("snapshot \(back)") }
        enum Stop: Error { case now }
        do { try state.withMultiArray(for: "seen") { _ in throw Stop.now }; wrong.append("no throw") } catch Stop.now {}
        let floats: [Float] = state.withMultiArray(for: "seen") { a in MLShapedArray<Float16>(a).scalars.map(Float.init) }
        if floats.count != 8 { wrong.append("floats") }
        return wrong
    }
}
