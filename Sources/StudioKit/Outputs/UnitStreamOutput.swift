internal import Confinement

/// Access units as they come, in Annex B, on a descriptor, beginning with a keyframe: what `ffplay -f h264 -` reads.
///
/// A reader that is slow loses units up to a keyframe; what it gets can be decoded.
package final class UnitStreamOutput: StudioOutput {
    /// A reader may be a second behind before it loses something.
    static let limits = UnitBacklog.Limits(
        age: .seconds(Int64(1)), ageAtKeyframe: .milliseconds(500), byteCount: 32 << 20)

    package let needs: OutputNeeds = .units
    private let writer: DescriptorWriter
    private let thread: ConsumerThread<UnitBacklog>
    private let progress: Locked<OutputProgress>

    /// - Parameter onEnd: once, on the output's own thread.
    package init(descriptor: Int32, onEnd: @escaping @Sendable (OutputEnd) -> Void = { _ in }) {
        let writer = DescriptorWriter(descriptor)
        let progress = Locked(OutputProgress())
        thread = ConsumerThread(name: "camo-h264-out", inbox: UnitBacklog(Self.limits)) { unit in
            progress.writing { try unit.unit.bytes.withUnsafeBytes { try writer.writeUntyped([$0]) } }
        } idle: {
            progress.endedByReader(if: writer.isReaderGone)
        } onEnd: {
            onEnd(progress.withLock { $0.end ?? .finished })
        }
        self.writer = writer
        self.progress = progress
    }

    package func receive(_ unit: PictureUnit) -> Bool { thread.deliver { $0.append(unit) } == .needsKeyframe }

    /// Access units written, and left out because the reader was slow.
    package var counts: (written: UInt64, dropped: Int) {
        (progress.withLock { $0.written }, thread.deliver { $0.skippedCount })
    }

    /// Writes what waits, for at most so long, and ends.
    package func finish(within limit: Microseconds) async { await thread.end(within: limit, cancel: writer.cancel) }
}
