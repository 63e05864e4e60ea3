import Confinement
import Glibc
import Testing

@testable import CommandCore

@Suite struct EventWriterTests {
    private let pairing = Event("pairing", sentence: "Showing a code", ["payload": "camo:pair?x", "validSeconds": 300])

    private func writer(
        _ pipe: PipeEnds, json: Bool = false, verbosity: Verbosity = .normal, isTerminal: Bool = false,
        clock: any MonotonicClock = ManualClock(), outputDidFail: @escaping @Sendable () -> Void = {}
    ) -> EventWriter {
        EventWriter(
            program: "tool", verbosity: verbosity, json: json ? pipe.write : nil, people: pipe.write,
            terminal: isTerminal ? Terminal(pipe.write) : nil, clock: clock, outputDidFail: outputDidFail)
    }

    @Test func theFirstJSONEventCarriesTheSchema() throws {
        let pipe = try PipeEnds()
        let events = writer(pipe, json: true)
        events.write(pairing)
        events.write(Event("paired"))
        #expect(
            pipe.text == #"{"schema":1,"event":"pairing","payload":"camo:pair?x","validSeconds":300}"# + "\n"
                + #"{"event":"paired"}"# + "\n")
    }

    @Test func peopleGetSentencesCleaned() throws {
        let pipe = try PipeEnds()
        let events = writer(pipe)
        events.write(pairing)
        events.write(Event("connected", sentence: "Connected to \u{1B}[2Jcam"))
        events.write(Event("silent"))
        events.write(.error("no camera", exitCode: .noInput))
        #expect(pipe.text == "Showing a code\nConnected to \u{FFFD}[2Jcam\ntool: no camera\n")
    }

    @Test(arguments: [
        (Verbosity.quiet, "tool: e\n"), (.normal, "m\ntool: e\n"), (.verbose, "d\nm\ntool: e\n"),
    ])
    func verbosity(verbosity: Verbosity, said: String) throws {
        let pipe = try PipeEnds()
        let events = writer(pipe, verbosity: verbosity)
        events.write(Event("detail", level: .detail, sentence: "d"))
        events.write(Event("message", sentence: "m"))
        events.write(.error("e"))
        #expect(pipe.text == said)
    }

    @Test func anErrorNamesItsExitCode() throws {
        let pipe = try PipeEnds()
        writer(pipe, json: true, verbosity: .quiet).write(.error("port 5700 is in use", exitCode: .busy))
        #expect(
            pipe.text == #"{"schema":1,"event":"error","message":"port 5700 is in use","exitCode":75}"# + "\n")
    }

    @Test func theStatusLineGivesWayToMessages() throws {
        let pipe = try PipeEnds()
        let clock = ManualClock()
        let events = writer(pipe, isTerminal: true, clock: clock)
        events.status("30 fps")
        events.status("31 fps")
        events.write(Event("note", sentence: "hello"))
        clock.advance(by: .milliseconds(100))
        events.status("32 fps")
        events.endStatus()
        #expect(pipe.text == "\r\u{1B}[K30 fps\r\u{1B}[Khello\n30 fps\r\u{1B}[K32 fps\r\u{1B}[K")
    }

    @Test func withoutATerminalThereIsNoStatusLine() throws {
        let pipe = try PipeEnds()
        let events = writer(pipe)
        events.status("30 fps")
        events.endStatus()
        events.write(Event("end", sentence: "end"))
        #expect(pipe.text == "end\n")
    }

    @Test func aReaderThatHasGoneIsToldOnce() throws {
        let pipe = try PipeEnds()
        let times = Locked(0)
        let events = writer(pipe, json: true) { times.withLock { $0 += 1 } }
        pipe.closeEnd(pipe.read)
        events.write(pairing)
        events.write(pairing)
        #expect(times.withLock { $0 } == 1)
        #expect(events.finish(.success) == .success)
    }

    @Test func eventsThatCannotBeWrittenAreNoSuccess() throws {
        let (pipe, full) = (try PipeEnds(), open("/dev/full", O_WRONLY | O_CLOEXEC))
        defer { close(full) }
        let times = Locked(0)
        let events = EventWriter(
            program: "tool", verbosity: .normal, json: full, people: pipe.write, terminal: nil, clock: ManualClock(),
            outputDidFail: { times.withLock { $0 += 1 } })
        events.write(pairing)
        #expect(times.withLock { $0 } == 1)
        #expect(events.finish(.success) == .cannotCreate)
        #expect(events.finish(.interrupted) == .interrupted)
        #expect(pipe.text.hasPrefix("tool: cannot write the output: No space left on device\n"))
    }
}
