import CommandCore
import ProducerKit

/// `camo-producer status`: how the producers of this user are doing that run now.
struct StatusCommand {
    private let run: CommandRun
    init(_ run: CommandRun) { self.run = run }

    /// Exit status 0 where one runs, 69 where none does: for scripts.
    func perform() -> ExitCode {
        do {
            let producers = try ProducerStatus.running(in: run.options.global.stateDirectory) { [run] line in
                run.events.write(Event("notice", sentence: line, ["text": .string(line)]))
            }
            guard !producers.isEmpty else { return run.fail("no camo-producer of this user runs", .unavailable) }
            for producer in producers { try show(producer) }
            return .success
        } catch OutputError.readerGone {
            return .success
        } catch {
            return run.fail(error)
        }
    }

    private func show(_ producer: ProducerStatus) throws(OutputError) {
        guard run.options.global.json else {
            for line in producer.lines {
                try OutputWriter.standardOutput.write(TerminalText.cleaned(line) + "\n")
            }
            return
        }
        run.events.write(producer.event)
    }
}

extension ProducerStatus {
    /// The first says which it is, the others what it does.
    fileprivate var lines: [String] {
        let source = sources.isEmpty ? "what a program gives it" : sources.joined(separator: ", ")
        var lines = ["\(name) (process \(processID)): \(source)" + (port > 0 ? ", port \(port)" : "")]
        if isPaused { lines.append("  paused: camera and microphone are closed") }
        lines += studios.map { "  to \($0.name) (\($0.transport), \($0.address))" }
        lines += servers.map { "  to \($0)" }
        if studios.isEmpty, servers.isEmpty { lines.append("  waiting for a studio") }
        guard pictures > 0 else { return lines }
        let encode = encodeMilliseconds.map { ", encode \(Int($0.rounded())) ms" } ?? ""
        let megabits = Double((bitsPerSecond + 50_000) / 100_000) / 10
        lines.append("  \(pictures) pictures, \(droppedPictures) left out, up to \(megabits) Mb/s\(encode)")
        return lines
    }

    fileprivate var event: Event {
        Event(
            "producer",
            [
                "process": .integer(Int64(processID)), "name": .string(name),
                "sources": .array(sources.map { .string($0) }), "port": JSONValue(Int(port)),
                "paused": .bool(isPaused),
                "studios": .array(
                    studios.map {
                        .object([
                            JSONMember("name", .string($0.name)), JSONMember("transport", .string($0.transport)),
                            JSONMember("address", .string($0.address)),
                        ])
                    }),
                "servers": .array(servers.map { .string($0) }), "pictures": .integer(Int64(clamping: pictures)),
                "droppedPictures": .integer(Int64(clamping: droppedPictures)),
                "bitsPerSecond": JSONValue(bitsPerSecond), "encodeMilliseconds": JSONValue(encodeMilliseconds),
            ])
    }
}
