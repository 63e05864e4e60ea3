import CamoTypes
import Glibc
import Testing

@testable import StudioKit

@Suite struct DescriptorWriterTests {
    private func write(_ pieces: [[UInt8]], to writer: DescriptorWriter) -> WriteFailure? {
        let all = pieces.flatMap { $0 }
        return all.withUnsafeBytes { bytes in
            var start = 0
            let views = pieces.map { piece -> UnsafeRawBufferPointer in
                defer { start += piece.count }
                return UnsafeRawBufferPointer(rebasing: bytes[start..<start + piece.count])
            }
            do throws(WriteFailure) {
                try writer.write(views)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func `pieces arrive whole and in order through a pipe that is smaller`() async {
        let pipe = Pipe()
        let writer = DescriptorWriter(pipe.writeEnd)
        // More pieces than one writev(2) takes, and more bytes than the pipe holds.
        let pieces = (0..<3_000).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $0 % 97) }
        async let failure = offThread { [self] in write(pieces, to: writer) }
        let bytes = await offThread { pipe.read(pieces.reduce(0) { $0 + $1.count }) }
        #expect(bytes == pieces.flatMap { $0 })
        #expect(await failure == nil)
    }

    @Test func `the descriptor that others share stays as it was`() {
        let pipe = Pipe()
        let before = fcntl(pipe.writeEnd, F_GETFL)
        let writer = DescriptorWriter(pipe.writeEnd)
        #expect(write([[1, 2, 3]], to: writer) == nil)
        #expect(fcntl(pipe.writeEnd, F_GETFL) == before)
    }

    @Test func `a reader that has gone is told as such`() {
        let pipe = Pipe()
        let writer = DescriptorWriter(pipe.writeEnd)
        #expect(!writer.isReaderGone)
        pipe.closeReadEnd()
        #expect(writer.isReaderGone)
        #expect(write([[1]], to: writer) == .readerGone)
    }

    @Test func `a write to a reader that is stuck can be cancelled`() async {
        let pipe = Pipe()
        let writer = DescriptorWriter(pipe.writeEnd)
        async let failure = offThread { [self] in write([[UInt8](repeating: 0, count: 1 << 20)], to: writer) }
        // The pipe is full once it holds 64 KiB.
        #expect(
            await eventually {
                var count: Int32 = 0
                return ioctl(pipe.readEnd, UInt(FIONREAD), &count) == 0 && count >= 1 << 16
            })
        writer.cancel()
        #expect(await failure == .cancelled)
    }

    @Test func `a full disk is a failure with a name`() {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let failure = write([[1]], to: DescriptorWriter(full))
        #expect(failure == .failed(ENOSPC))
        guard let failure, case .failed(let error) = OutputEnd(failure) else {
            Issue.record("not a failure")
            return
        }
        #expect(error.code == .diskFull)
    }
}
