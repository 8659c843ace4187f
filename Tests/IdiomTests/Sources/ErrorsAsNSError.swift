// swift-format-ignore-file
import CoreML
import Vision

/// How programs for Apple's systems handle errors: as `NSError`, in every pattern. The compiler assumes that such a
/// pattern always matches, so a program whose error does not match crashes or hangs.
enum ErrorsAsNSError {
    static let missing = URL(fileURLWithPath: "/nowhere.mlmodelc")

    // In a function that does not throw.
    static func caught() -> Int {
        do { _ = try MLModel(contentsOf: missing); return -1 } catch let error as NSError { return error.code }
    }

    static func caughtLater() async -> Int {
        do { _ = try await MLModel.load(contentsOf: missing); return -1 } catch let error as NSError { return error.code }
    }

    static func caughtFromHandler() async -> Int {
        await withCheckedContinuation { done in
            MLModel.load(contentsOf: missing, configuration: MLModelConfiguration()) { result in
                switch result {
                case .success: done.resume(returning: -1)
                case .failure(let error as NSError): done.resume(returning: error.code)
                }
            }
        }
    }

    static func caughtWhere(_ error: Error) -> String {
        do { throw error } catch let e as NSError where e.domain == NSCocoaErrorDomain { return "cocoa" } catch let e as NSError where e.domain == MLModelErrorDomain { return "model \(e.code)" } catch let e as NSError where e.domain == VNErrorDomain { return "vision \(e.code)" } catch { return "other" }
    }

    static func caughtByType(_ error: Error) -> String {
        do { throw error } catch let e as MLModelError { return "model \(e.code.rawValue)" } catch let e as CocoaError { return "cocoa \(e.code.rawValue)" } catch { return "other" }
    }

    static func switched(_ error: Error) -> Int {
        switch error {
        case is CocoaError: return -1
        case let e as NSError: return e.code
        default: return -2
        }
    }

    static func guarded(_ result: Result<Int, Error>) -> NSError? {
        guard case .failure(let error as NSError) = result else { return nil }
        return error
    }

    struct Report: Error { let underlying: NSError; init(_ error: Error) { underlying = error as NSError } }

    static func load() throws(Report) { do { _ = try MLModel(contentsOf: missing) } catch { throw Report(error) } }

    static func run(_ model: URL) async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        let io = MLModelError.Code.io.rawValue
        let (now, later, handler) = (caught(), await caughtLater(), await caughtFromHandler())
        check(now == io && later == io && handler == io, "caught: \(now), \(later), \(handler)")
        do { try load() } catch { check(error.underlying.code == io && error.underlying.domain == MLModelErrorDomain, "kept: \(error)") }

        let loaded = try MLModel(contentsOf: model)
        do { _ = try await loaded.prediction(from: MLDictionaryFeatureProvider(dictionary: [:])); wrong.append("predicted") } catch {
            check((error as? NSError)?.code == 1 && error is NSError && (error as! NSError).domain == MLModelErrorDomain, "as?: \(error)")
            check(switched(error) == 1 && guarded(.failure(error))?.code == 1, "switched: \(error)")
            check(caughtWhere(error) == "model 1" && caughtByType(error) == "model 1", "where: \(caughtWhere(error)), \(caughtByType(error))")
            let any: Any = error
            check((any as? NSError)?.code == 1 && any is NSError && any is MLModelError && any is Error, "Any: \(any)")
            let whole: NSError = error as NSError
            check(whole.localizedDescription == error.localizedDescription && whole.localizedDescription.contains("'x'"), "\(whole)")
            check(whole.userInfo[NSLocalizedDescriptionKey] as? String == error.localizedDescription, "\(whole.userInfo)")
            let beneath = whole.userInfo[NSUnderlyingErrorKey] as? NSError
            check(beneath?.userInfo["CoreMLErrorCode"] as? String == "runtime.invalid-input" && beneath?.localizedDescription.contains("'x'") == true, "beneath: \(String(describing: beneath))")
            // A round trip.
            let back = (whole as Error) as? MLModelError
            check(back == error as? MLModelError && back?.message == (error as? MLModelError)?.message, "back: \(String(describing: back))")
            check(back?.underlyingCode == "runtime.invalid-input", "the word: \(back?.underlyingCode ?? "none")")
            check((error as? MLModelError)?._bridgeToObjectiveC() == whole, "two bridges")
        }
        // An `NSError` that a program creates.
        let made = NSError(domain: MLModelErrorDomain, code: 4, userInfo: [NSLocalizedDescriptionKey: "no layer"])
        check((made as? MLModelError)?.code == .customLayer && (made as? MLModelError)?.localizedDescription == "no layer" && made is MLModelError, "made")
        check(caughtByType(made) == "model 4" && caughtWhere(made) == "model 4", "made: \(caughtByType(made))")
        if case MLModelError.customLayer = made as Error {} else { wrong.append("by code") }
        check(!(NSError(domain: "other", code: 4) is MLModelError) && (NSError(domain: MLModelErrorDomain, code: 99) as? MLModelError) == nil, "none of ours")
        check(caughtByType(CocoaError(.fileNoSuchFile)) == "cocoa 4" && caughtWhere(CocoaError(.fileNoSuchFile)) == "cocoa", "cocoa")
        check((MLModelError(.update) as NSError).code == 6 && (MLModelError(.update) as Error) as? NSError == MLModelError(.update) as NSError, "an error that is made")
        let dictionary: [String: Any] = [NSUnderlyingErrorKey: MLModelError(.parameters)]
        check((dictionary[NSUnderlyingErrorKey] as? NSError)?.code == 7, "in a dictionary")

        // Errors of Vision.
        let request = VNImageBasedRequest()
        do { try VNImageRequestHandler(url: URL(fileURLWithPath: "/nowhere.png")).perform([request]) } catch let error as NSError {
            check(error.domain == VNErrorDomain && error.code == VNErrorCode.ioError.rawValue && error.localizedDescription.contains("/nowhere.png"), "Vision: \(error)")
            check(caughtWhere(error) == "vision 6" && !(error is MLModelError) && (error.userInfo[NSUnderlyingErrorKey] as? NSError) != nil, "Vision's domain")
        }
        do { _ = try VNCoreMLModel(for: loaded) } catch let error as NSError { check(error.code == VNErrorCode.invalidModel.rawValue, "Vision: \(error)") }
        return wrong
    }
}
