package import Confinement
internal import DeviceCore
internal import Glibc
internal import MediaCore

/// An H.264 byte stream (ITU-T H.264, Annex B) from a descriptor, passed on as it is: what `rpicam-vid -o -` writes.
///
/// A picture is known to be whole when the next one begins: each is sent one picture late. Where the writer writes
/// whole pictures and pauses between them, as `rpicam-vid --flush` does, that is noticed in the first second, and each
/// is then sent as soon as the pipe is quiet (`AccessUnitSplitter.wentQuiet()`). A writer that is held up in the middle
/// of a picture after that has it cut: what follows is held back up to the next keyframe, and the pipe's being quiet
/// means nothing any more. Access unit delimiters stand before pictures, not behind them, and do not help.
package final class CodedStreamSource: MediaSource {
    package let name: String
    package let opensOnDemand = false
    package let isCodedOnly = true
    private let descriptor: Int32
    private let framesPerSecond: Double
    private let clock: any MonotonicClock
    private let thread = SourceThread()

    /// Quiet for so many milliseconds: more than there is between two writes of one picture, less than between two
    /// pictures.
    private static let quietTime: Int32 = 5

    /// - Parameter framesPerSecond: Said of the stream when it does not say itself.
    package init(
        descriptor: Int32, framesPerSecond: Double, name: String = "standard input",
        clock: any MonotonicClock = SystemClock()
    ) {
        (self.descriptor, self.framesPerSecond, self.name, self.clock) = (descriptor, framesPerSecond, name, clock)
    }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        guard let reader = BlockingReader(descriptor) else { throw .noDescriptors(for: name) }
        try thread.start("h264 stream", for: name, end: reader.stop) { [self] in run(reader, sink) }
    }

    package func stop() -> Bool { thread.stop() }

    private func run(_ reader: BlockingReader, _ sink: any MediaSink) {
        var splitter = AccessUnitSplitter()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
        defer { buffer.deallocate() }
        let isPaced = reader.isRegularFile
        let begin = clock.now
        var number: Int64 = 0
        var hasSent = false
        var needsKeyframe = false
        var drought = KeyframeDrought()
        /// Something has come since it was quiet.
        var isAwaitingQuiet = false
        while true {
            switch reader.readSome(buffer, patience: isAwaitingQuiet ? Self.quietTime : nil) {
            case .stopped, .full: return
            case .quiet:
                isAwaitingQuiet = false
                guard let unit = splitter.wentQuiet() else { continue }
                tell(drought.pictureCame(isKeyframe: unit.isKeyframe, at: clock.now), sink)
                guard !needsKeyframe || unit.isKeyframe else { continue }
                needsKeyframe = false
                hasSent = deliver(unit, splitter, sink) || hasSent
            case .failed(let number):
                return sink.sourceDidEnd(
                    ProducerError(.unavailable, "\(name) cannot be read: \(String(cString: strerror(number)))"))
            case .ended(after: 0):
                if let last = splitter.finish() { hasSent = deliver(last, splitter, sink) || hasSent }
                return sink.sourceDidEnd(
                    hasSent ? nil : ProducerError(.badData, "\(name) holds no H.264 pictures (Annex B) to send"))
            case .ended(let count):
                isAwaitingQuiet = !isPaced
                do throws(MediaError) {
                    let splits = splitter.splits
                    let units = try splitter.append(
                        UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: clock.now)
                    if splitter.hasBidirectional {
                        throw MediaError(
                            .unsupported,
                            "the stream has B-frames, which come late and out of order: have it encoded without them "
                                + "(ffmpeg: -bf 0 or -tune zerolatency)")
                    }
                    if splitter.splits > splits {
                        needsKeyframe = true
                        sink.sourceDidReport(
                            "\(name) pauses within pictures: from the next keyframe on, each is sent one picture late")
                    }
                    for var unit in units {
                        tell(drought.pictureCame(isKeyframe: unit.isKeyframe, at: clock.now), sink)
                        guard !needsKeyframe || unit.isKeyframe else { continue }
                        needsKeyframe = false
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

    private func tell(_ line: String?, _ sink: any MediaSink) {
        if let line { sink.sourceDidReport("\(name): \(line)") }
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
