import Confinement
import Glibc
import Testing

@testable import CommandCore

@Suite(.timeLimit(.minutes(1))) struct TerminalKeysTests {
    /// A terminal, and the other end of it where somebody types.
    private final class Typist: Sendable {
        let terminal: Int32
        private let keyboard: Int32

        init() throws {
            keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            // TIOCSPTLCK and TIOCGPTPEER (ioctl_tty(2)), which have arguments in their names and are unknown in Swift.
            var isLocked: Int32 = 0
            try #require(keyboard >= 0 && ioctl(keyboard, 0x4004_5431, &isLocked) == 0)
            terminal = ioctl(keyboard, 0x5441, O_RDWR | O_NOCTTY)
            try #require(terminal >= 0)
        }

        deinit { for end in [terminal, keyboard] { close(end) } }

        func type(_ text: String) { _ = text.withCString { write(keyboard, $0, strlen($0)) } }

        /// Whether it waits for whole lines, and shows them.
        var takesLines: Bool {
            var now = termios()
            tcgetattr(terminal, &now)
            return now.c_lflag & tcflag_t(ICANON | ECHO) != 0
        }

        func readLine() -> String {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(terminal, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    private let typist: Typist
    private let pressed: AsyncStream<UInt8>
    private let press: AsyncStream<UInt8>.Continuation

    init() throws {
        typist = try Typist()
        (pressed, press) = AsyncStream.makeStream()
    }

    private func keys(isInFront: @escaping @Sendable () -> Bool = { true }) throws -> TerminalKeys {
        let keys = TerminalKeys(input: typist.terminal, patience: .milliseconds(5), isInFront: isInFront) {
            [press] in press.yield($0)
        }
        return try #require(keys)
    }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    @Test func `a key acts without a line's end, and the terminal is as it was afterwards`() async throws {
        #expect(typist.takesLines)
        let keys = try keys()
        await until { !typist.takesLines }
        typist.type("pq")
        var bytes = pressed.makeAsyncIterator()
        #expect(await bytes.next() == UInt8(ascii: "p"))
        #expect(await bytes.next() == UInt8(ascii: "q"))
        keys.end()
        #expect(typist.takesLines)
    }

    @Test func `while somebody is asked, what is typed is the answer`() async throws {
        let keys = try keys()
        await until { !typist.takesLines }
        keys.hold()
        #expect(typist.takesLines)
        typist.type("yes\n")
        #expect(typist.readLine() == "yes\n")
        keys.goOn()
        await until { !typist.takesLines }
        typist.type("p")
        var bytes = pressed.makeAsyncIterator()
        #expect(await bytes.next() == UInt8(ascii: "p"))
        keys.end()
    }

    @Test func `a terminal that belongs to another program is left alone`() async throws {
        let (isInFront, looks) = (Locked(false), Locked(0))
        let keys = try keys {
            looks.withLock { $0 += 1 }
            return isInFront.withLock { $0 }
        }
        await until { looks.withLock { $0 } > 0 }
        #expect(typist.takesLines)
        isInFront.withLock { $0 = true }
        await until { !typist.takesLines }
        keys.end()
        #expect(typist.takesLines)
    }
}
