import CommandCore
import Glibc
import StudioKit

/// `camo-studio`: connects and gives out what comes, until something ends it.
struct WatchCommand {
    private let options: WatchOptions
    private let run: CommandRun

    init(_ options: WatchOptions, _ run: CommandRun) {
        self.options = options
        self.run = run
    }

    func perform() async -> ExitCode {
        let controller = run.controller(name: options.name, definition: options.definition)
        do {
            try controller.start()
        } catch {
            return run.fail(error)
        }
        do {
            return await perform(with: controller, target: try ProducerTarget(options.producer, controller))
        } catch {
            return run.fail(error)
        }
    }

    /// With a controller that is started already, after pairing.
    func perform(with controller: StudioController, target: ProducerTarget) async -> ExitCode {
        if options.standardOutput != nil, Terminal.standardOutput.isTerminal {
            await controller.stop()
            run.events.write(.error("--stdout is for a pipe or a file, not for a terminal", exitCode: .usage))
            return .usage
        }
        let hasOutputs = options.recording != nil || options.standardOutput != nil
        let reporter = StudioReporter(
            run, endsWithSource: hasOutputs,
            endsWithRecording: options.recording != nil && options.standardOutput == nil)
        controller.delegate = reporter
        defer { withExtendedLifetime(reporter) {} }

        let output = options.standardOutput.map { StandardOutput($0, hasSound: options.hasSound, run) }
        do {
            if let path = options.recording {
                try await controller.startRecording(to: path, hasSound: options.hasSound)
            }
            if let output { controller.add(output.output) }
            try controller.connect(to: target)
        } catch {
            await controller.stop()
            return run.fail(error)
        }

        let ticker = Task { await tick(controller) }
        let ending = await run.ending()
        ticker.cancel()
        run.events.endStatus()
        return await finish(controller, output, reporter, ending)
    }

    /// Once a second: the status line, and statistics where they are wanted.
    private func tick(_ controller: StudioController) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            guard !Task.isCancelled, case .connected(let connection) = controller.state else { continue }
            let statistics = controller.statistics
            if options.tellsStatistics { run.events.write(statistics.event) }
            run.events.status("\(connection.peer.name): \(statistics.text)")
        }
    }

    private func finish(
        _ controller: StudioController, _ output: StandardOutput?, _ reporter: StudioReporter, _ ending: Ending
    ) async -> ExitCode {
        await controller.stop()
        if let output {
            // At the end of a source everything that came is to arrive; a signal is in a hurry.
            let limit: Microseconds =
                if case .sourceEnded = ending { .seconds(Int64(10)) } else { .milliseconds(300) }
            await output.finish(within: limit)
        }
        await controller.delegateCallsAreDone()
        let code = run.exitCode(for: ending)
        // Everything else went on when the recording failed; the exit code tells of it.
        guard let error = reporter.recordingError, code == .success || code == .interrupted else { return code }
        return ExitCode(error)
    }
}

extension ProducerTarget {
    /// - Throws: ``StudioError`` when nothing that could be meant is paired.
    init(_ choice: ProducerChoice, _ controller: StudioController) throws {
        guard controller.pairedDevices.contains(where: { $0.role == .producer }) else {
            throw StudioError(
                .unknownDevice,
                "no producer is paired with this studio yet: run 'camo-studio pair' and give the "
                    + "code to 'camo-producer pair'")
        }
        switch choice {
        case .automatic: self = .anyPaired
        case .device(let text): self = .device(try controller.pairedDevice(matching: text).id)
        case .connect(let address): self = .address(address)
        case .listen(let port): self = .listen(port: UInt16(clamping: port))
        }
    }
}
