package import Confinement
internal import DeviceCore
internal import Glibc

/// Pictures without any header, one after the other, from a descriptor: what `ffmpeg -f rawvideo -` and
/// `rpicam-vid --codec yuv420` write.
///
/// Each picture is read into a buffer of its own and handed on without a copy. The input is read on whatever happens
/// downstream. A pipe has the writer's pace; a file is read at the declared rate.
package final class RawPictureSource: MediaSource {
    package let name: String
    package let opensOnDemand = false
    private let descriptor: Int32
    private let size: PixelSize
    private let format: PixelFormat
    private let framesPerSecond: Double
    private let clock: any MonotonicClock
    private let thread = SourceThread()

    /// - Parameter descriptor: Stays open; its flags are left as they are.
    package init(
        descriptor: Int32, size: PixelSize, format: PixelFormat, framesPerSecond: Double,
        name: String = "standard input", clock: any MonotonicClock = SystemClock()
    ) {
        (self.descriptor, self.size, self.format) = (descriptor, size, format)
        (self.framesPerSecond, self.name, self.clock) = (framesPerSecond, name, clock)
    }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        guard let reader = BlockingReader(descriptor) else { throw .noDescriptors(for: name) }
        try thread.start("raw pictures", for: name, end: reader.stop) { [self] in run(reader, sink) }
    }

    package func stop() -> Bool { thread.stop() }

    private func run(_ reader: BlockingReader, _ sink: any MediaSink) {
        let byteCount = format.byteCount(size)
        let buffers = PictureBuffers(byteCount: byteCount)
        let isPaced = reader.isRegularFile
        let begin = clock.now
        var number: Int64 = 0
        while true {
            let buffer = buffers.take()
            var time = clock.now
            let outcome = reader.fill(buffer) { time = clock.now }
            guard outcome == .full else {
                buffers.giveBack(buffer)
                return end(outcome, number, of: byteCount, sink)
            }
            if isPaced {
                time = begin + Microseconds.seconds(Double(number) / framesPerSecond)
                guard reader.sleep(until: time, now: clock.now) else { return buffers.giveBack(buffer) }
            }
            number += 1
            nonisolated(unsafe) let lent = buffer  // given back once, by the frame that borrows it
            if let frame = try? VideoFrame(
                borrowing: planes(of: buffer), size: size, format: format, presentationTime: time,
                release: { buffers.giveBack(lent) })
            {
                sink.deliver(frame)
            }
        }
    }

    private func planes(of buffer: UnsafeMutableRawBufferPointer) -> [(bytes: UnsafeRawBufferPointer, stride: Int)] {
        var start = 0
        return (0..<format.planeCount).map { plane in
            let stride = format.rowBytes(plane: plane, width: size.width)
            let end = start + stride * format.rows(plane: plane, height: size.height)
            defer { start = end }
            return (UnsafeRawBufferPointer(rebasing: buffer[start..<end]), stride)
        }
    }

    private func end(_ outcome: BlockingReader.Outcome, _ number: Int64, of byteCount: Int, _ sink: any MediaSink) {
        switch outcome {
        case .stopped, .full, .quiet: break
        case .ended(after: 0) where number == 0:
            sink.sourceDidEnd(ProducerError(.badData, "\(name) was empty: no picture came"))
        case .ended(after: 0): sink.sourceDidEnd(nil)
        case .ended(let count):
            sink.sourceDidEnd(
                ProducerError(
                    .badData,
                    "\(name) ended in the middle of picture \(number + 1): \(count) of its \(byteCount) bytes came. "
                        + "Are --size \(size) and --format \(format.rawValue) what the writer sends?"))
        case .failed(let number):
            sink.sourceDidEnd(
                ProducerError(.unavailable, "\(name) cannot be read: \(String(cString: strerror(number)))"))
        }
    }
}

extension ProducerError {
    init(_ error: DeviceError) {
        let code: Code =
            switch error.code {
            case .notFound, .noSuchControl: .notFound
            case .outOfRange: .outOfRange
            case .notSettable: .notSettable
            case .permissionDenied: .noPermission
            case .busy: .busy
            case .disconnected, .stalled: .deviceLost
            case .notACaptureDevice, .notAnOutputDevice, .unsupported: .badData
            case .failed: .unavailable
            }
        self.init(code, error.description)
    }
}
