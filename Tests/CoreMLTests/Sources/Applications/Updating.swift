// swift-format-ignore-file
import CoreML

// Models that are trained, and rows for training and prediction.

final class Trainer {
    struct Progress: Equatable { var epoch: Int; var loss: Double }
    private(set) var history: [Progress] = []
    private(set) var began = false
    let url: URL

    init(url: URL) { self.url = url }

    func train(_ data: MLBatchProvider, epochs: Int, rate: Double, then: @escaping (Result<MLModel & MLWritable, Error>) -> Void) throws -> MLUpdateTask {
        let configuration = MLModelConfiguration()
        configuration.parameters = [.epochs: epochs, .learningRate: rate, MLParameterKey.shuffle: false]
        let handlers = MLUpdateProgressHandlers(
            forEvents: [.trainingBegin, .epochEnd],
            progressHandler: { [weak self] context in
                switch context.event {
                case .trainingBegin: self?.began = true
                case .epochEnd:
                    let loss = context.metrics[.lossValue] as! Double
                    let epoch = context.metrics[MLMetricKey.epochIndex] as! Int
                    self?.history.append(Progress(epoch: epoch, loss: loss))
                    if epoch == 1 {
                        let now = context.parameters[.learningRate] as! Double
                        context.task.resume(withParameters: [.learningRate: now / 2])
                    }
                default: break
                }
            },
            completionHandler: { context in
                if let error = context.task.error { return then(.failure(error)) }
                guard context.task.state == .completed else { return then(.failure(CancellationError())) }
                then(.success(context.model))
            })
        let task = try MLUpdateTask(forModelAt: url, trainingData: data, configuration: configuration, progressHandlers: handlers)
        task.resume()
        return task
    }
}

func columns(of batch: MLBatchProvider, _ name: String) -> [Double] {
    (0..<batch.count).compactMap { batch.features(at: $0).featureValue(for: name)?.doubleValue }
}

extension MLBatchProvider {
    var rows: [MLFeatureProvider] { (0..<count).map(features(at:)) }
}

struct BatchSequence: Sequence {
    let batch: MLBatchProvider
    func makeIterator() -> AnyIterator<MLFeatureProvider> {
        var next = 0
        return AnyIterator {
            guard next < batch.count else { return nil }
            defer { next += 1 }
            return batch.features(at: next)
        }
    }
}
