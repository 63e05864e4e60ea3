import CommandCore
import Confinement
import StudioKit

/// `camo-studio play ID`: has the producer send a recording, gives it out, and ends with it.
struct PlayCommand {
    /// A producer that is there has answered long before.
    private static let patience = Duration.seconds(10)

    private let options: PlayOptions
    private let run: CommandRun

    init(_ options: PlayOptions, _ run: CommandRun) {
        self.options = options
        self.run = run
    }

    func perform() async -> ExitCode {
        guard run.mayGiveOut(options.outputs) else { return .usage }
        // What is live is not asked for: the camera stays as it is.
        let controller = run.controller(name: options.outputs.name, takesMedia: false)
        let reporter = StudioReporter(run, endsWithRecording: options.outputs.isRecordingAlone)
        controller.delegate = reporter
        defer { withExtendedLifetime(reporter) {} }
        let outputs: WatchOutputs
        do {
            outputs = try WatchOutputs(options.outputs, run)
            try controller.start()
            try controller.connect(to: try ProducerTarget(options.outputs.producer, controller))
        } catch {
            await controller.stop()
            return run.fail(error)
        }
        let statistics = RunningStatistics(run, isTold: options.outputs.tellsStatistics)
        let ticker = Task { await statistics.follow(controller, outputs) { Self.place(controller) } }
        let keys = watchKeys(controller)
        let result = await run.race { [options] in try await Self.play(options, controller, outputs) }
        keys?.end()
        ticker.cancel()
        run.events.endStatus()
        return await finish(controller, outputs, reporter, result)
    }

    /// Returns at the end of the recording.
    private static func play(
        _ options: PlayOptions, _ controller: StudioController, _ outputs: WatchOutputs
    ) async throws {
        _ = try await controller.waitForCapabilities(atMost: patience)
        // Whether there is sound in it.
        _ = try await controller.recordings()
        try await controller.setMuted(!options.outputs.hasSound, for: .sound, in: .playback)
        if let recording = options.outputs.recording {
            try await controller.startRecording(
                to: recording.file, hasSound: options.outputs.hasSound, limits: recording.limits)
        }
        outputs.add(to: controller)
        try await controller.play(recording: options.recording, from: options.start)
        for await playback in controller.playbackUpdates {
            switch playback?.phase {
            case .playing, .paused: continue
            case .ended: return
            case .failed:
                throw StudioError(.badData, "the producer says: \(playback?.reason ?? "it cannot be played on")")
            case nil: throw StudioError(.unavailable, "the producer plays it no longer")
            }
        }
    }

    /// Whoever sits at the terminal goes back and forth.
    private func watchKeys(_ controller: StudioController) -> TerminalKeys? {
        let reader = Locked(PlaybackKeys())
        let keys = TerminalKeys.watch { byte in
            guard let action = reader.withLock({ $0.read(byte) }) else { return }
            Task { try? await action.perform(on: controller) }
        }
        if keys != nil {
            run.events.write(Event("keys", sentence: "Space: pause and go on; arrows: ten seconds back or on"))
        }
        return keys
    }

    private static func place(_ controller: StudioController) -> String {
        guard let playback = controller.playback, let position = controller.playbackPosition else { return "" }
        return "\(playback.phase.rawValue) \(position.clock) of \(playback.duration.clock), "
    }

    private func finish(
        _ controller: StudioController, _ outputs: WatchOutputs, _ reporter: StudioReporter,
        _ result: Result<Void, CommandRun.EndedEarly>
    ) async -> ExitCode {
        var limit = Microseconds.milliseconds(300)
        var code = ExitCode.success
        switch result {
        case .success:
            // Everything that came is to arrive.
            limit = .seconds(Int64(10))
            if options.outputs.recording != nil { _ = try? await controller.stopRecording() }
        case .failure(let early):
            // Its state says more as long as it runs.
            code = run.exitCode(for: early, controller)
        }
        return await run.close(controller, outputs, reporter, within: limit) { code }
    }
}
