internal import Confinement
internal import MediaCore

/// Picture and sound as MPEG-TS on a descriptor, beginning with a keyframe: what `ffplay -` reads.
///
/// A reader that is slow loses pictures up to a keyframe, and sound that is as old.
package final class TransportStreamOutput: StudioOutput {
    package let needs: OutputNeeds
    private let writer: DescriptorWriter
    private let thread: ConsumerThread<MediaInbox<UnitBacklog>>
    private let progress: Locked<OutputProgress>

    /// - Parameter onEnd: once, on the output's own thread.
    package init(
        descriptor: Int32, hasSound: Bool, onEnd: @escaping @Sendable (OutputEnd) -> Void = { _ in }
    ) {
        let writer = DescriptorWriter(descriptor)
        let progress = Locked(OutputProgress())
        // Confined to the thread.
        nonisolated(unsafe) let stream = TransportStream(hasSound: hasSound)
        let limits = UnitStreamOutput.limits
        let inbox = MediaInbox(
            pictures: UnitBacklog(limits), sound: SoundBacklog(limits.age, leavesOut: .oldest))
        thread = ConsumerThread(name: "camo-ts-out", inbox: inbox) { item in
            progress.writing {
                let bytes =
                    switch item {
                    case .picture(let unit): try stream.write(video: unit.unit)
                    case .sound(let sound): try stream.write(sound: sound.frame)
                    }
                try bytes.withUnsafeBytes { try writer.writeUntyped([$0]) }
            }
        } idle: {
            progress.endedByReader(if: writer.isReaderGone)
        } onEnd: {
            onEnd(progress.withLock { $0.end ?? .finished })
        }
        self.writer = writer
        self.progress = progress
        needs = hasSound ? [.units, .sound] : .units
    }

    package func receive(_ unit: PictureUnit) -> Bool { thread.deliver { $0.append(unit) } == .needsKeyframe }
    package func play(_ sound: ReceivedSound) { thread.deliver { $0.append(sound) } }

    package func finish(within limit: Microseconds) async { await thread.end(within: limit, cancel: writer.cancel) }

    package var dropped: Int { thread.deliver { $0.pictures.skippedCount } }
}
