package import Confinement
internal import DeviceCore
internal import Glibc
internal import MediaCore

/// An H.264 byte stream (ITU-T H.264, Annex B) from a descriptor, passed on as it is: what `rpicam-vid -o -` writes.
///
/// A picture is whole when the next one begins, so each is sent one picture late; a camera that ends its pictures with
/// access unit delimiters does not change that.
package final class CodedStreamSource: MediaSource {
    package let name: String
    package let opensOnDemand = false
    private let descriptor: Int32
    private let framesPerSecond: Double
    private let clock: any MonotonicClock
    private let running = Locked<(reader: BlockingReader, thread: CaptureThread)?>(nil)

    /// - Parameter framesPerSecond: Said of the stream when it does not say itself.
    package init(
        descriptor: Int32, framesPerSecond: Double, name: String = "standard input",
        clock: any MonotonicClock = SystemClock()
    ) {
        (self.descriptor, self.framesPerSecond, self.name, self.clock) = (descriptor, framesPerSecond, name, clock)
    }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        guard let reader = BlockingReader(descriptor) else {
            throw ProducerError(.unavailable, "\(name): this process has no file descriptors left")
        }
        do throws(DeviceError) {
            let thread = try CaptureThread("h264 stream", for: name) { [self] in run(reader, sink) }
            running.withLock { $0 = (reader, thread) }
        } catch {
            throw ProducerError(error)
        }
    }

    package func stop() -> Bool {
        guard let (reader, thread) = running.withLock({ $0 }) else { return true }
        reader.stop()
        defer { running.withLock { $0 = nil } }
        return thread.wait(atMost: Self.patience)
    }

    private func run(_ reader: BlockingReader, _ sink: any MediaSink) {
        var splitter = AccessUnitSplitter()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
        defer { buffer.deallocate() }
        let isPaced = reader.isRegularFile
        let begin = clock.now
        var number: Int64 = 0
        var hasSent = false
        while true {
            switch reader.readSome(buffer) {
            case .stopped, .full: return
            case .failed(let number):
                return sink.sourceDidEnd(
                    ProducerError(.unavailable, "\(name) cannot be read: \(String(cString: strerror(number)))"))
            case .ended(after: 0):
                if let last = splitter.finish() { hasSent = deliver(last, splitter, sink) || hasSent }
                return sink.sourceDidEnd(
                    hasSent ? nil : ProducerError(.badData, "\(name) holds no H.264 pictures (Annex B) to send"))
            case .ended(let count):
                do throws(MediaError) {
                    let units = try splitter.append(
                        UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: clock.now)
                    for var unit in units {
                        if isPaced {
                            unit.presentationTime = begin + Microseconds.seconds(Double(number) / framesPerSecond)
                            guard reader.sleep(until: unit.presentationTime, now: clock.now) else { return }
                        }
                        number += 1
                        hasSent = deliver(unit, splitter, sink) || hasSent
                    }
                } catch {
                    return sink.sourceDidEnd(ProducerError(.badData, "\(name): \(error.description)"))
                }
            }
        }
    }

    /// Until parameter sets have come, nobody could decode anything.
    private func deliver(_ unit: AccessUnit, _ splitter: AccessUnitSplitter, _ sink: any MediaSink) -> Bool {
        guard let parameters = splitter.parameters else { return false }
        sink.deliver(
            unit,
            format: CodedPictureFormat(
                size: parameters.size, framesPerSecond: parameters.framesPerSecond ?? framesPerSecond,
                color: parameters.color))
        return true
    }
}
