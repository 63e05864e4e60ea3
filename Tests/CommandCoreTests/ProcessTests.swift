import Confinement
import Dispatch
import Glibc
import Testing

@testable import CommandCore

@Suite struct SignalWatcherTests {
    @Test(arguments: [(SIGINT, ExitCode.interrupted), (SIGTERM, .success), (SIGHUP, .success)])
    func howASignalEndsACommand(signal: Int32, code: ExitCode) {
        #expect(SignalWatcher.exitCode(for: signal) == code)
    }

    @Test func theFirstSignalIsToldOnce() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let watcher = SignalWatcher { number in _exit(number == SIGTERM ? 7 : 1) }
            kill(getpid(), SIGTERM)
            withExtendedLifetime(watcher) { _ = sleep(20) }
        }
    }

    @Test func theSecondSignalEndsAtOnce() async {
        await #expect(processExitsWith: .exitCode(130)) {
            let first = DispatchSemaphore(value: 0)
            let watcher = SignalWatcher { _ in first.signal() }
            kill(getpid(), SIGINT)
            guard first.wait(timeout: .now() + 10) == .success else { _exit(1) }
            kill(getpid(), SIGINT)
            withExtendedLifetime(watcher) { _ = sleep(20) }
        }
    }

    /// `command &` in a script starts with SIGINT ignored.
    @Test func anIgnoredInterruptIsHeardAllTheSame() async {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGINT, SIG_IGN)
            let watcher = SignalWatcher { _ in _exit(7) }
            kill(getpid(), SIGINT)
            withExtendedLifetime(watcher) { _ = sleep(20) }
        }
    }

    @Test func nohupIsRespected() async {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGHUP, SIG_IGN)
            let watcher = SignalWatcher { number in _exit(number == SIGTERM ? 7 : 1) }
            kill(getpid(), SIGHUP)
            kill(getpid(), SIGTERM)
            withExtendedLifetime(watcher) { _ = sleep(20) }
        }
    }
}

@Suite struct ArgumentMemoryTests {
    private func wiped(_ secret: String, _ words: [String]) -> [String] {
        let pointers = words.map { strdup($0) }
        defer {
            for pointer in pointers { free(pointer) }
        }
        pointers.withUnsafeBufferPointer { ArgumentMemory.wipe(secret, in: $0[...]) }
        return pointers.compactMap { $0.map { String(cString: $0) } }
    }

    @Test func theSecretIsOverwrittenWhereverItStands() {
        #expect(
            wiped("camo:pair?s=1", ["pair", "camo:pair?s=1", "--code=camo:pair?s=1", "-v"])
                == ["pair", "xxxxxxxxxxxxx", "--code=xxxxxxxxxxxxx", "-v"])
    }

    /// The real thing: what `ps` and everybody else read.
    @Test func nothingIsLeftInTheListOfProcesses() async {
        await #expect(processExitsWith: .exitCode(7)) {
            guard let word = CommandLine.arguments.dropFirst().last, !word.isEmpty, shown().contains(word) else {
                _exit(1)
            }
            ArgumentMemory.wipe(word)
            _exit(shown().contains(word) ? 2 : 7)
        }
    }

    @Test func othersStay() {
        #expect(wiped("abc", ["abcd", "xabc", "ab", ""]) == ["abcd", "xabc", "ab", ""])
        #expect(wiped("", ["a"]) == ["a"])
    }
}

@Suite struct ConfirmationTests {
    @Test(arguments: [
        ("y\n", true), ("YES\n", true), (" y \n", true), ("n\n", false), ("\n", false), ("", false),
        ("yesterday\n", false),
        (String(repeating: "y", count: 500), false),
    ])
    func onlyAYesIsAYes(typed: String, answer: Bool) throws {
        let (input, output) = (try PipeEnds(), try PipeEnds())
        try OutputWriter(input.write).write(typed)
        input.closeEnd(input.write)
        #expect(Confirmation.ask("Pair with \u{1B}studio?", input: input.read, output: output.write) == answer)
        #expect(output.text == "Pair with \u{FFFD}studio? [y/N] ")
    }
}

@Suite struct SecretTests {
    @Test func noWayOfPrintingShowsIt() {
        let secret = Secret("hush")
        var dumped = ""
        dump([secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] { #expect(!text.contains("hush")) }
        #expect(secret.text == "hush")
    }
}

/// The words of /proc/self/cmdline.
private func shown() -> [String] {
    let file = open("/proc/self/cmdline", O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = read(file, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
}
