// swift-format-ignore-file
import CoreML

final class CollectionLoader {
    var models: [String: URL] = [:]
    var observer: NSObjectProtocol?
    func observe() { observer = NotificationCenter.default.addObserver(forName: MLModelCollection.didChangeNotification, object: nil, queue: nil) { note in
        guard let collection = note.object as? MLModelCollection else { return }
        precondition(!collection.deploymentID.isEmpty) } }
    deinit { observer.map(NotificationCenter.default.removeObserver) }
    func load(_ identifier: String, done: @escaping (Error?) -> Void) -> Progress {
        return MLModelCollection.beginAccessing(identifier: identifier) { result in
            switch result {
            case .success(let modelCollection):
                self.models = modelCollection.entries.mapValues { (entry: MLModelCollection.Entry) in entry.modelURL }
                done(nil)
            case .failure(let error): done(error)
            }
        }
    }
}
enum Collections {
    static func run() async throws -> [String] {
        var wrong: [String] = []
        let loader = CollectionLoader(); loader.observe()
        let error: Error? = await withCheckedContinuation { c in _ = loader.load("none") { c.resume(returning: $0) } }
        if case MLModelError.modelCollection? = error as? MLModelError { } else if (error as? MLModelError)?.code != .modelCollection { wrong.append("\(String(describing: error))") }
        do { let c = try await MLModelCollection.beginAccessing(identifier: "none"); wrong.append("\(c.entries)") } catch MLModelError.modelCollection {}
        do { try await MLModelCollection.endAccessing(identifier: "none"); wrong.append("ended") } catch MLModelError.modelCollection {}
        MLModelCollection.endAccessing(identifier: "none") { (result: Result<Void, Error>) in if case .success = result { print("?") } }
        return wrong
    }
}
