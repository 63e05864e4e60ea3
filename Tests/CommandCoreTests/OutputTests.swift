import Confinement
import Dispatch
import Glibc
import Testing

@testable import CommandCore

@Suite struct OutputWriterTests {
    /// Pipes are limited per user: small ones are enough here.
    private let megabyte = [UInt8](repeating: 7, count: 1 << 20)

    @Test func moreThanAPipeHoldsArrivesWhole() throws {
        let pipe = try PipeEnds()
        let received = Locked<[UInt8]>([])
        let done = DispatchGroup()
        let end = pipe.read
        DispatchQueue.global().async(group: done) {
            var part = [UInt8](repeating: 0, count: 5000)
            while true {
                let count = read(end, &part, part.count)
                guard count > 0 else { return }
                received.withLock { $0 += part.prefix(count) }
            }
        }
        do {
            let writer = OutputWriter(pipe.write)
            try megabyte.withUnsafeBytes { bytes in try writer.write(bytes) }
        }
        pipe.closeEnd(pipe.write)
        done.wait()
        #expect(received.withLock { $0 } == megabyte)
    }

    /// A terminal that a program before us left so.
    @Test func aDescriptorThatSomebodyMadeNonBlockingIsWaitedFor() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (ours, theirs) = (ends[0], ends[1])
        defer {
            close(ours)
            close(theirs)
        }
        _ = fcntl(ours, F_SETFL, O_NONBLOCK)
        let total = Locked(0)
        let done = DispatchGroup()
        let expected = megabyte.count
        DispatchQueue.global().async(group: done) {
            var part = [UInt8](repeating: 0, count: 5000)
            while total.withLock({ $0 }) < expected {
                let count = read(theirs, &part, part.count)
                guard count > 0 else { return }
                total.withLock { $0 += count }
            }
        }
        let writer = OutputWriter(ours)
        try megabyte.withUnsafeBytes { bytes in try writer.write(bytes) }
        done.wait()
        #expect(total.withLock { $0 } == expected)
    }

    @Test func aReaderThatHasGoneIsToldAsSuch() throws {
        let pipe = try PipeEnds()
        let writer = OutputWriter(pipe.write)
        pipe.closeEnd(pipe.read)
        #expect(throws: OutputError.readerGone) { try writer.write("x") }
    }

    @Test func aWriteThatWaitsCanBeCancelled() throws {
        let pipe = try PipeEnds()
        let writer = OutputWriter(pipe.write)
        let result = Locked<OutputError?>(nil)
        let done = DispatchGroup()
        let bytes = megabyte
        DispatchQueue.global().async(group: done) {
            do {
                try bytes.withUnsafeBytes { bytes in try writer.write(bytes) }
            } catch {
                result.withLock { $0 = error as? OutputError }
            }
        }
        writer.cancel()
        #expect(done.wait(timeout: .now() + 10) == .success)
        #expect(result.withLock { $0 } == .cancelled)
    }

    /// O_NONBLOCK set here would strike whoever shares the pipe.
    @Test func theSharedPipeStaysBlocking() throws {
        let pipe = try PipeEnds()
        let writer = OutputWriter(pipe.write)
        try writer.write("x")
        #expect(fcntl(pipe.write, F_GETFL) & O_NONBLOCK == 0)
        #expect(pipe.text == "x")
    }

    @Test func aFullDiskIsAFailureWithItsReason() throws {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let writer = OutputWriter(full)
        #expect(throws: OutputError.failed(errno: ENOSPC)) { try writer.write("x") }
        #expect(OutputError.failed(errno: ENOSPC).description.contains("No space left"))
    }

    @Test func aFileGoesOnWhereItStood() throws {
        var path = Array("/tmp/command-core-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        defer { close(file) }
        unlink(path)
        try OutputWriter(file).write("one ")
        try OutputWriter(file).write("two")
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(file, &bytes, 20, 0)
        #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "one two")
    }
}

@Suite struct JSONValueTests {
    @Test func everyKind() {
        let value: JSONValue = [
            "text": "a\"b\\c\n\u{1B}\u{202E}é", "whole": 7, "number": 1.25, "third": .number(1.0 / 3), "yes": true,
            "nothing": .null, "list": [1, "x"], "nan": .number(.nan), "inner": ["k": -0.5],
        ]
        #expect(
            value.text
                == #"{"text":"a\"b\\c\n\u001b\u202eé","whole":7,"number":1.25,"third":0.333,"yes":true,"#
                + #""nothing":null,"list":[1,"x"],"nan":null,"inner":{"k":-0.5}}"#)
    }

    @Test func largeNumbersDoNotTrap() {
        #expect(JSONValue.number(1e300).text == "1e+300")
        #expect(JSONValue.number(-.infinity).text == "null")
        #expect(JSONValue.integer(.min).text == "-9223372036854775808")
    }
}
