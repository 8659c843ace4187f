// swift-format-ignore-file
import CoreML

enum ModelLoadError: LocalizedError { case notFound(URL), core(MLModelError), other(any Error)
    var errorDescription: String? { switch self { case .notFound(let u): "no \(u.lastPathComponent)"; case .core(let e): "Core ML \(e.code.rawValue): \(e.localizedDescription)"; case .other(let e): e.localizedDescription } } }

enum ErrorPatterns {
    static func load(_ url: URL) throws(ModelLoadError) -> MLModel {
        guard FileManager.default.fileExists(atPath: url.path) else { throw .notFound(url) }
        do { return try MLModel(contentsOf: url) } catch let error as MLModelError { throw .core(error) } catch { throw .other(error) }
    }
    static func name(_ error: Error) -> String {
        switch error {
        case MLModelError.generic: return "generic"
        case MLModelError.featureType: return "featureType"
        case MLModelError.io: return "io"
        case MLModelError.customLayer: return "customLayer"
        case MLModelError.customModel: return "customModel"
        case MLModelError.update: return "update"
        case MLModelError.parameters: return "parameters"
        case MLModelError.modelDecryptionKeyFetch: return "key"
        case MLModelError.modelDecryption: return "decryption"
        case MLModelError.modelCollection: return "collection"
        case MLModelError.predictionCancelled: return "cancelled"
        case is CancellationError: return "task"
        case let nsError as NSError where nsError.domain == NSCocoaErrorDomain: return "cocoa"
        default: return "other"
        }
    }
    static func run() async throws -> [String] {
        var wrong: [String] = []
        func check(_ b: Bool, _ s: String) { if !b { wrong.append(s) } }
        let url = try await MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: "interface/line.mlmodel"))
        do { _ = try load(URL(fileURLWithPath: "/none.mlmodelc")) } catch { check(error.errorDescription == "no none.mlmodelc", "\(error)") }
        do { _ = try load(SampleCodeChecks.cases().appending(path: "interface/line.mlmodel")); wrong.append("uncompiled") } catch { if case .core(let e) = error { check(e.code == .io, "\(e)") } else { wrong.append("\(error)") } }
        let model = try load(url)
        do { _ = try await model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": "text"])); wrong.append("text") } catch { check(name(error) == "featureType", "\(error)")
            let ns = error as NSError
            check(ns.domain == "com.apple.CoreML" && ns.domain == MLModelErrorDomain && ns.code == MLModelError.featureType.rawValue && ns.code == 1, "\(ns)")
            check(MLModelError.Code(rawValue: ns.code) == .featureType && MLModelError.errorDomain == ns.domain, "code")
            check(!ns.localizedDescription.isEmpty && ns.userInfo[NSLocalizedDescriptionKey] as? String == error.localizedDescription, "\(ns.userInfo)")
        }
        do { _ = try await MLModel.compileModel(at: URL(fileURLWithPath: "/none.mlmodel")); wrong.append("compiled") } catch { check(["io", "generic"].contains(name(error)), "\(error)") }
        let made = MLModelError(.update, userInfo: [NSLocalizedDescriptionKey: "no", NSUnderlyingErrorKey: CocoaError(.fileNoSuchFile)])
        check(made.localizedDescription == "no" && made.errorUserInfo.count == 2 && (made as NSError).code == 6, "\(made)")
        check(((made as NSError).userInfo[NSUnderlyingErrorKey] as? CocoaError)?.code == .fileNoSuchFile, "underlying")
        check(MLModelError(.io) == MLModelError(.io) && MLModelError(.io) != MLModelError(.generic) && Set([MLModelError(.io), MLModelError(.io)]).count == 1, "equality")
        let rebuilt = NSError(domain: MLModelErrorDomain, code: 3)
        check(name(MLModelError(.io)) == "io" && MLModelError.Code(rawValue: rebuilt.code) == .io, "rebuilt")
        do { throw made } catch MLModelError.update { } catch { wrong.append("update") }
        do { throw MLModelError(.parameters) } catch let e as MLModelError { switch e.code { case .parameters: break; default: wrong.append("parameters") } }
        let t = Task { try await model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray([1.0, 2])])) .featureNames }
        t.cancel()
        switch await t.result { case .success(let n): check(n == ["y"], "names"); case .failure(let e): check(["cancelled", "task"].contains(name(e)), "\(e)") }
        if case MLModelError.io = rebuilt as Error {} else { wrong.append("an NSError is not matched by its code") }
        return wrong
    }
}
