import Foundation

/// How a process ended.
enum ExitStatus: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)

    fileprivate init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .signalled(signal)
    }
}

/// A real process. Made by ``Rig/start(_:_:on:environment:input:output:)``, which also sees to its end.
///
/// It leads a process group of its own, so that what it started ends with it.
final class ChildProcess: Sendable {
    enum Input: Sendable {
        case nothing
        case file(String)
        /// What ``write(_:)`` is given, until ``closeInput()``.
        case written
        /// Stays the caller's.
        case descriptor(Int32)
    }

    enum Output: Sendable {
        /// Kept in memory: ``standardOutput``.
        case collected
        case file(String)
        /// Stays the caller's.
        case descriptor(Int32)
    }

    let name: String
    let arguments: [String]
    let identifier: pid_t
    let standardOutput: ProcessOutput
    let standardError: ProcessOutput
    private let status = Watched<ExitStatus?>(nil)
    private let input: Watched<Int32?>

    /// - Parameter prefix: A program and arguments that make their way to the program: `nsenter …`.
    init(
        _ name: String, _ arguments: [String], prefix: [String] = [], environment: [String: String] = [:],
        input: Input = .nothing, output: Output = .collected
    ) throws {
        self.name = name
        self.arguments = arguments
        _ = Self.brokenPipesAreErrors
        let words = prefix + [try BuiltProducts.path(of: name)] + arguments
        var streams = try Streams(input: input, output: output)
        defer { streams.closeChildEnds() }
        identifier = try Self.spawn(words, environment: environment, streams)
        self.input = Watched(streams.inputWriter)
        standardOutput =
            streams.outputReader.map { ProcessOutput(reading: $0, label: "\(name) out") } ?? ProcessOutput()
        standardError = ProcessOutput(reading: streams.errorReader, label: "\(name) err")
        waitForEnd()
    }

    /// Writing to a process that has ended must not end the tests.
    private static let brokenPipesAreErrors: Void = { _ = Glibc.signal(SIGPIPE, SIG_IGN) }()

    private func waitForEnd() {
        let (identifier, status) = (identifier, status)
        let thread = Thread {
            var code: Int32 = 0
            while waitpid(identifier, &code, 0) < 0 && errno == EINTR {}
            status.change { $0 = ExitStatus(waitStatus: code) }
        }
        thread.name = "\(name) end"
        thread.start()
    }

    private static func spawn(_ words: [String], environment: [String: String], _ streams: Streams) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, streams.childInput, 0)
        posix_spawn_file_actions_adddup2(&actions, streams.childOutput, 1)
        posix_spawn_file_actions_adddup2(&actions, streams.childError, 2)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        // The runner of the tests may ignore or block some; a program under test starts like from a shell.
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var argv = words.map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in argv + envp { free(word) } }
        var identifier: pid_t = 0
        let code = Descriptors.spawning.withLock {
            posix_spawn(&identifier, words[0], &actions, &attributes, &argv, &envp)
        }
        guard code == 0 else { throw RigError(errno: code, "starting \(words.joined(separator: " "))") }
        return identifier
    }

    // MARK: Input

    /// Writes all of it; blocks while the pipe is full, so not for more than 64 KiB that nobody reads. False when the
    /// process has closed its end.
    @discardableResult
    func write(_ bytes: some Sequence<UInt8>) -> Bool {
        guard let descriptor = input.read({ $0 }) else { return false }
        return Array(bytes).withUnsafeBytes { Self.writeAll($0, to: descriptor) }
    }

    @discardableResult
    func writeLine(_ line: String) -> Bool { write("\(line)\n".utf8) }

    func closeInput() {
        if let descriptor = input.change({ descriptor in
            defer { descriptor = nil }
            return descriptor
        }) {
            close(descriptor)
        }
    }

    static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    // MARK: Output

    /// The first line of stdout from line number `start` on that `match` takes.
    func line(
        within limit: Duration, from start: Int = 0, where match: @Sendable (String) -> Bool = { _ in true }
    ) async throws -> String {
        try await wait(standardOutput, within: limit, "a line") { $0.dropFirst(start).first(where: match) }
    }

    /// The same on stderr.
    func message(
        within limit: Duration, from start: Int = 0, where match: @Sendable (String) -> Bool
    ) async throws -> String {
        try await wait(standardError, within: limit, "a message") { $0.dropFirst(start).first(where: match) }
    }

    /// The first JSON line of stdout from line number `start` on whose `event` is `name` and that `match` takes.
    func event(
        _ name: String, within limit: Duration, from start: Int = 0,
        where match: @Sendable (JSONEvent) -> Bool = { _ in true }
    ) async throws -> JSONEvent {
        try await wait(standardOutput, within: limit, "event \"\(name)\"") { lines in
            for line in lines.dropFirst(start) {
                if let event = JSONEvent(line: line), event.kind == name, match(event) { return event }
            }
            return nil
        }
    }

    /// All JSON lines of stdout from line number `start` on.
    func events(from start: Int = 0) -> [JSONEvent] {
        standardOutput.lines.dropFirst(start).compactMap { JSONEvent(line: $0) }
    }

    /// How many lines there are on stdout: what comes later has `from: lineCount`.
    var lineCount: Int { standardOutput.lines.count }

    private func wait<R>(
        _ output: ProcessOutput, within limit: Duration, _ what: String, _ match: ([String]) -> R?
    ) async throws -> R {
        let result: R?? = await output.contents.first(within: limit) { contents in
            if let result = match(contents.lines) { return .some(result) }
            return contents.isFinished ? .some(nil) : nil
        }
        guard let result, let result else { throw RigError("\(what) did not come within \(limit) from\n\(report)") }
        return result
    }

    // MARK: End

    var exitStatus: ExitStatus? { status.read { $0 } }
    var isRunning: Bool { exitStatus == nil }

    func signal(_ number: Int32) {
        // Under the lock the process has not been waited for, so that the number is still its own.
        status.read { if $0 == nil { _ = Glibc.kill(identifier, number) } }
    }

    /// Waits for the end and the end of its output.
    func exit(within limit: Duration) async throws -> ExitStatus {
        guard let status = await status.first(within: limit, { $0 }) else {
            throw RigError("no end within \(limit) of\n\(report)")
        }
        for output in [standardOutput, standardError] {
            _ = await output.contents.first(within: .seconds(2)) { $0.isFinished ? true : nil }
        }
        return status
    }

    /// Ends it, and what it started, at once. Nothing where it has ended: its number may be another's by then.
    func kill() async {
        // In this order: the end of its input would make it do something.
        status.read { if $0 == nil { _ = Glibc.kill(-identifier, SIGKILL) } }
        closeInput()
        _ = await status.first(within: .seconds(5)) { $0 }
    }

    /// For messages: the call, how it ended, and the end of what it said.
    var report: String {
        let state = exitStatus.map { "\($0)" } ?? "running"
        let call = ([name] + arguments).joined(separator: " ")
        return "  \(call) [\(state)]\n\(standardOutput.tail())\n  stderr:\n\(standardError.tail())"
    }
}

/// Both ends of the three descriptors.
private struct Streams {
    var childInput: Int32 = -1
    var childOutput: Int32 = -1
    var childError: Int32 = -1
    var inputWriter: Int32?
    var outputReader: Int32?
    var errorReader: Int32 = -1
    private var ours: [Int32] = []

    init(input: ChildProcess.Input, output: ChildProcess.Output) throws {
        switch input {
        case .nothing: childInput = keep(try Descriptors.open("/dev/null", O_RDONLY))
        case .file(let path): childInput = keep(try Descriptors.open(path, O_RDONLY))
        case .descriptor(let descriptor): childInput = descriptor
        case .written:
            let pipe = try Descriptors.pipe()
            childInput = keep(pipe.reader)
            inputWriter = pipe.writer
        }
        switch output {
        case .collected:
            let pipe = try Descriptors.pipe()
            childOutput = keep(pipe.writer)
            outputReader = pipe.reader
        case .file(let path): childOutput = keep(try Descriptors.open(path, O_WRONLY | O_CREAT | O_TRUNC))
        case .descriptor(let descriptor): childOutput = descriptor
        }
        let pipe = try Descriptors.pipe()
        childError = keep(pipe.writer)
        errorReader = pipe.reader
    }

    private mutating func keep(_ descriptor: Int32) -> Int32 {
        ours.append(descriptor)
        return descriptor
    }

    mutating func closeChildEnds() {
        for descriptor in ours { close(descriptor) }
        ours = []
    }
}
