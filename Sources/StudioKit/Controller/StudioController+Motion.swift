internal import Confinement

/// What moves in the picture, as the producer finds it.
extension StudioController {
    /// From now on: a new stream at each access. The producer is asked for it while somebody reads one, and sends it where
    /// it looks for motion (``ProducerCapabilities/detectsMotion``). A reader that is slow finds the last 16.
    ///
    /// An element without regions says that nothing moves any more.
    public var motion: AsyncStream<DetectedMotion> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DetectedMotion.self, bufferingPolicy: .bufferingNewest(16))
        let number = motionReaders.withLock { $0.add(continuation) }
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            motionReaders.withLock { _ = $0.readers.removeValue(forKey: number) }
            updateSubscription()
        }
        updateSubscription()
        return stream
    }

    func producerSaw(_ motion: DetectedMotion) {
        for reader in motionReaders.withLock({ $0.readers.values.map(\.self) }) { reader.yield(motion) }
        delegateCalls.call { [self] in $0.studioController(self, didDetect: motion) }
    }
}

/// Who reads of motion.
struct MotionReaders {
    var readers: [UInt64: AsyncStream<DetectedMotion>.Continuation] = [:]
    private var last: UInt64 = 0

    mutating func add(_ reader: AsyncStream<DetectedMotion>.Continuation) -> UInt64 {
        last += 1
        readers[last] = reader
        return last
    }
}
