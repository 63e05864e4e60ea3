import CommandCore
import StudioKit

/// `camo-studio snapshot`: connects, takes one picture, ends.
struct SnapshotCommand {
    private let options: SnapshotOptions
    private let run: CommandRun

    init(_ options: SnapshotOptions, _ run: CommandRun) {
        self.options = options
        self.run = run
    }

    func perform() async -> ExitCode {
        let controller = run.controller(name: nil, definition: options.definition)
        let reporter = StudioReporter(run)
        controller.delegate = reporter
        defer { withExtendedLifetime(reporter) {} }
        do {
            try controller.start()
            try controller.connect(to: try ProducerTarget(options.producer, controller))
        } catch {
            return run.fail(error)
        }
        let options = options
        let result = await run.race {
            try await controller.snapshot(to: options.file, thumbnail: options.thumbnail)
        }
        let state = controller.state
        await controller.stop()
        switch result {
        case .success(let frame):
            tell(frame)
            return .success
        case .failure(let early):
            // Why there was no picture is more use than that there was none.
            if case .failed(let error) = early.ending, error.code == .timedOut, case .waiting(let why) = state {
                return run.fail(StudioError(.unavailable, "no picture: \(why.reason)"))
            }
            return run.exitCode(for: early.ending)
        }
    }

    private func tell(_ frame: ReceivedFrame) {
        let thumbnail = options.thumbnail.map { _ in StudioController.thumbnailPath(for: options.file) }
        run.events.write(
            Event(
                "snapshot",
                sentence: "Saved \(frame.info.size) to \(options.file)" + (thumbnail.map { " and \($0)" } ?? ""),
                [
                    "file": .string(options.file), "thumbnail": JSONValue(thumbnail),
                    "width": JSONValue(frame.info.size.width), "height": JSONValue(frame.info.size.height),
                ]))
    }
}
