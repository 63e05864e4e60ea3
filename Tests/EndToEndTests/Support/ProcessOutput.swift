import Dispatch
import Foundation

/// What a process writes to one descriptor, as it comes.
final class ProcessOutput: Sendable {
    struct Contents {
        var bytes: [UInt8] = []
        /// Whole lines, without their ends.
        var lines: [String] = []
        fileprivate var lineStart = 0
        /// The process and whoever it left the descriptor to have closed it.
        var isFinished = false

        fileprivate mutating func append(_ new: UnsafeRawBufferPointer) {
            var searchStart = bytes.count
            bytes += new
            while let end = bytes[searchStart...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: bytes[lineStart..<end], as: UTF8.self)
                lines.append(line.hasSuffix("\r") ? String(line.dropLast()) : line)
                lineStart = end + 1
                searchStart = lineStart
            }
        }
    }

    let contents = Watched(Contents())

    /// Reads `descriptor`, and closes it at its end.
    init(reading descriptor: Int32, label: String) {
        let contents = contents
        let thread = Thread {
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
                while true {
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { break }
                    contents.change { $0.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                }
            }
            close(descriptor)
            contents.change { $0.isFinished = true }
        }
        thread.name = label
        thread.start()
    }

    /// Nothing to read: the output goes elsewhere.
    init() { contents.change { $0.isFinished = true } }

    var bytes: [UInt8] { contents.read(\.bytes) }
    var lines: [String] { contents.read(\.lines) }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The end, for messages.
    func tail(_ lineCount: Int = 15) -> String {
        text.split(separator: "\n").suffix(lineCount).map { "    \($0)" }.joined(separator: "\n")
    }
}
