internal import Confinement
import Glibc

/// Tells events: with `--json` as one JSON object a line, else as sentences on standard error, above a status line
/// where standard error is a terminal.
///
/// Any thread. A write waits for its reader, so callers are control code, never the path of a picture.
package final class EventWriter: Sendable {
    private struct State {
        var status = StatusLine()
        /// The first event carries the version of the event format.
        var isFirst = true
        /// Why programs are told nothing more.
        var failure: OutputError?
    }

    private let program: String
    private let json: OutputWriter?
    private let people: OutputWriter
    private let terminal: Terminal?
    private let verbosity: Verbosity
    private let clock: any MonotonicClock
    private let outputDidFail: @Sendable () -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - program: begins each error: `camo-producer: …`.
    ///   - isOutputTaken: standard output carries pictures; JSON events go to standard error then.
    ///   - outputDidFail: called once, on the thread that wrote, when no more events can be written for programs:
    ///     their reader has gone, or a disk is full. End; ``finish(_:)`` knows how.
    package convenience init(
        program: String, options: GlobalOptions, isOutputTaken: Bool = false,
        outputDidFail: @escaping @Sendable () -> Void = {}
    ) {
        let isTerminal = Terminal.standardError.isTerminal
        self.init(
            program: program, verbosity: options.verbosity,
            json: options.json ? (isOutputTaken ? STDERR_FILENO : STDOUT_FILENO) : nil, people: STDERR_FILENO,
            terminal: isTerminal && !options.json && options.verbosity != .quiet ? .standardError : nil,
            clock: SystemClock(), outputDidFail: outputDidFail)
    }

    init(
        program: String, verbosity: Verbosity, json: Int32?, people: Int32, terminal: Terminal?,
        clock: any MonotonicClock, outputDidFail: @escaping @Sendable () -> Void
    ) {
        self.program = program
        self.verbosity = verbosity
        self.json = json.map(OutputWriter.init)
        self.people = OutputWriter(people)
        self.terminal = terminal
        self.clock = clock
        self.outputDidFail = outputDidFail
    }

    package func write(_ event: Event) {
        let isWanted =
            switch event.level {
            case .detail: verbosity == .verbose
            case .message: verbosity != .quiet || json != nil
            case .error: true
            }
        guard isWanted else { return }
        if let json { writeJSON(event, to: json) } else { writeSentence(event) }
    }

    /// There is a status line.
    package var hasStatus: Bool { terminal != nil }

    /// Shows `text` in the status line, or in as many as it has; does nothing where standard error is no terminal. At most
    /// ten times a second.
    package func status(_ text: @autoclosure () -> String) {
        guard let terminal else { return }
        state.withLock { state in
            let size = terminal.size
            if let line = state.status.show(text(), columns: size.columns, rows: size.rows, now: clock.now) {
                try? people.write(line)
            }
        }
    }

    /// Takes the status line away; before the process ends or asks something.
    package func endStatus() {
        guard terminal != nil else { return }
        state.withLock { state in try? people.write(state.status.end()) }
    }

    /// The last call: takes the status line away, and says how the command ends, which is not with success where
    /// events were lost. A reader that has gone is no loss.
    package func finish(_ code: ExitCode) -> ExitCode {
        endStatus()
        guard let failure = state.withLock({ $0.failure }), failure != .readerGone else { return code }
        writeSentence(.error(failure.description, exitCode: .cannotCreate))
        return code == .success ? .cannotCreate : code
    }

    private func writeSentence(_ event: Event) {
        guard let sentence = event.sentence else { return }
        let lead = event.level == .error ? "\(program): " : ""
        let line = lead + TerminalText.cleaned(sentence) + "\n"
        // Nothing can be told where standard error is closed; the exit code still can.
        state.withLock { state in try? people.write(state.status.above(line)) }
    }

    private func writeJSON(_ event: Event, to output: OutputWriter) {
        let hasFailed = state.withLock { state in
            guard state.failure == nil else { return false }
            var members = state.isFirst ? [JSONMember("schema", 1)] : []
            members.append(JSONMember("event", .string(event.name)))
            do throws(OutputError) {
                try output.write(JSONValue.object(members + event.fields).text + "\n")
                state.isFirst = false
                return false
            } catch {
                state.failure = error
                return true
            }
        }
        if hasFailed { outputDidFail() }
    }
}
