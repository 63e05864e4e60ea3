internal import Confinement
package import MediaCore

/// Decoded pictures as they lie in memory, one after the other, on a descriptor: standard output.
///
/// All pictures have the size of the first; later ones of another size are scaled to fit, with black bars. A reader
/// that is slow gets the newest pictures; what it gets is whole.
package final class RawPictureOutput: StudioOutput {
    package let needs: OutputNeeds = .pictures
    private let writer: DescriptorWriter
    private let thread: ConsumerThread<PictureQueue>
    private let progress: Locked<OutputProgress>

    /// - Parameter onEnd: once, on the output's own thread.
    package init(
        descriptor: Int32, format: RawPictureFormat, onEnd: @escaping @Sendable (OutputEnd) -> Void = { _ in }
    ) {
        let writer = DescriptorWriter(descriptor)
        let progress = Locked(OutputProgress())
        // Confined to the thread.
        nonisolated(unsafe) var packer: PicturePacker?
        thread = ConsumerThread(name: "camo-raw-out", inbox: PictureQueue()) { frame in
            let size = frame.picture.size
            let open: PicturePacker
            if let packer {
                open = packer
            } else {
                open = PicturePacker(size: size, format: format)
                writer.widenPipe(to: open.byteCount)
                packer = open
            }
            return progress.writing { try open.withPieces(of: frame.picture, writer.writeUntyped) }
        } idle: {
            progress.endedByReader(if: writer.isReaderGone)
        } onEnd: {
            onEnd(progress.withLock { $0.end ?? .finished })
        }
        self.writer = writer
        self.progress = progress
    }

    package func show(_ frame: ReceivedFrame) { thread.deliver { $0.append(frame) } }

    /// Pictures written and pictures left out because the reader was slow.
    package var counts: (written: UInt64, dropped: Int) {
        (progress.withLock { $0.written }, thread.deliver { $0.droppedCount })
    }

    /// Writes what waits, for at most so long, and ends.
    package func finish(within limit: Microseconds) async { await thread.end(within: limit, cancel: writer.cancel) }
}
