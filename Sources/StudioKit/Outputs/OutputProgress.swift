internal import Confinement
internal import Glibc
internal import MediaCore

/// How far the thread of an output is.
struct OutputProgress: Sendable {
    var written: UInt64 = 0
    /// Why it wrote no more.
    var end: OutputEnd?
}

extension Locked<OutputProgress> {
    /// Counts one thing written, or keeps why it was not. False: the thread is to end.
    func writing(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            withLock { $0.written += 1 }
            return true
        } catch let failure as WriteFailure {
            withLock { $0.end = OutputEnd(failure) }
        } catch {
            withLock { $0.end = .failed(StudioError(.system, "a picture cannot be written: \(error)")) }
        }
        return false
    }

    /// False when nobody reads any more.
    func endedByReader(if isGone: Bool) -> Bool {
        if isGone { withLock { $0.end = .readerGone } }
        return !isGone
    }
}

extension OutputEnd {
    init(_ failure: WriteFailure) {
        switch failure {
        case .readerGone: self = .readerGone
        case .cancelled: self = .finished
        case .failed(let number):
            let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
            self = .failed(
                StudioError(
                    number == ENOSPC || number == EDQUOT || number == EFBIG ? .diskFull : .cannotWrite,
                    "the output cannot be written: \(text)"))
        }
    }
}

extension DescriptorWriter {
    /// For callers that rethrow.
    func writeUntyped(_ pieces: [UnsafeRawBufferPointer]) throws { try write(pieces) }
}
