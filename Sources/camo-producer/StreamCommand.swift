import CommandCore
import Glibc
import ProducerKit

/// `camo-producer [SOURCE]`: serves paired studios until the source or somebody ends it.
struct StreamCommand {
    private let options: StreamOptions
    private let run: CommandRun

    init(_ options: StreamOptions, _ run: CommandRun) {
        self.options = options
        self.run = run
    }

    func perform() async -> ExitCode {
        let controller: ProducerController
        let reporter = ProducerReporter(run)
        do {
            let choice = try SourceChoice(options)
            controller = ProducerController(configuration: try configuration(choice), sources: choice.sources)
            controller.delegate = reporter
            UserSignals.watch { $0 == SIGUSR1 ? controller.pause() : controller.resume() }
            try controller.start()
            started(controller, choice)
            try startRecording(controller)
        } catch {
            return run.fail(error)
        }
        defer { withExtendedLifetime(reporter) {} }
        let keys = pauseKey(controller)
        defer { keys?.end() }
        let ticker = Task { await tick(controller) }
        let ending = await run.ending()
        ticker.cancel()
        run.events.endStatus()
        let code = await finish(controller, ending)
        // The exit code tells of it.
        guard let error = reporter.recordingError, code == .success || code == .interrupted else { return code }
        return ExitCode(error)
    }

    private func finish(_ controller: ProducerController, _ ending: Ending) async -> ExitCode {
        switch ending {
        case .signal(let number):
            controller.stop()
            return SignalWatcher.exitCode(for: number)
        case .readerGone:
            controller.stop()
            return .success
        case .sourceEnded(let error):
            await letLastPictureOut(controller)
            controller.stop(reason: .ended)
            if let error { return run.fail(error) }
            run.events.write(Event("ended", sentence: "The source came to its end"))
            return .success
        }
    }

    /// Privacy is one key away for whoever sits at the terminal.
    private func pauseKey(_ controller: ProducerController) -> TerminalKeys? {
        let keys = TerminalKeys.watch { key in
            guard key | 0x20 == UInt8(ascii: "p") else { return }
            controller.isPaused ? controller.resume() : controller.pause()
        }
        if keys != nil { run.events.write(Event("keys", sentence: "Press p to pause, and p again to go on")) }
        return keys
    }

    private func configuration(_ choice: SourceChoice) throws(ProducerError) -> ProducerConfiguration {
        var configuration = run.configuration(name: options.name)
        configuration.port = UInt16(clamping: options.port ?? 0)
        configuration.advertises = options.isAdvertised
        configuration.allowsRemoteControl = options.allowsRemoteControl
        configuration.motionDetection = options.motion
        configuration.speaker = options.speaker
        configuration.dial = options.connect
        configuration.usb = options.acceptsOverUSB == .never ? .off : options.usb
        configuration.pairsOverCable =
            options.acceptsOverUSB.map { $0 == .ask } ?? TerminalQuestion.isPossible
        configuration.listens = options.connect == nil
        configuration.publishing = try options.publishTargets()
        configuration.definition = options.definition ?? choice.size.map(Definition.enclosing) ?? .high
        // A size that was asked for is also the largest on offer, whatever the definition's box.
        configuration.pictureSize = options.definition == nil ? choice.size : nil
        configuration.framesPerSecond = choice.framesPerSecond
        configuration.bitsPerSecond = options.bitsPerSecond
        configuration.preset = options.preset ?? "superfast"
        // What was asked for stays, and what a file or a program gives is encoded as it is.
        configuration.mayLowerPreset = options.preset == nil && options.source.isLive
        configuration.mayLowerSize = options.size == nil && options.source.isLive
        configuration.encoder = options.encoder
        configuration.rotation = options.rotation
        configuration.isMirrored = options.isMirrored
        configuration.isSilent = options.sound == .off || !choice.hasSound
        configuration.soundCodec =
            switch options.sound {
            case .opus: .opus
            case .lpcm: .lpcm
            case .auto, .off: nil
            }
        return configuration
    }

    private func startRecording(_ controller: ProducerController) throws {
        guard let recording = options.recording else { return }
        do {
            try controller.startRecording(to: recording.file, limits: recording.limits)
        } catch {
            controller.stop()
            throw error
        }
    }

    private func started(_ controller: ProducerController, _ choice: SourceChoice) {
        if let remark = choice.remark { run.events.write(Event("source", sentence: remark)) }
        for case let microphone as MicrophoneSource in choice.sources where options.alsaDevice != nil {
            guard let line = microphone.absence else { continue }
            run.events.write(Event("notice", sentence: line, ["text": .string(line)]))
        }
        if let line = controller.speakerAbsence {
            run.events.write(Event("notice", sentence: line, ["text": .string(line)]))
        }
        run.events.write(
            Event(
                "started",
                ["port": JSONValue(Int(controller.port)), "sources": .array(choice.sources.map { .string($0.name) })]))
        if controller.configuration.publishing.isEmpty, controller.pairedDevices.allSatisfy({ $0.role != .studio }) {
            run.events.write(
                Event(
                    "noDevices",
                    sentence: "No studio is paired yet: run 'camo-studio pair' where the picture is wanted, and "
                        + "'camo-producer pair CODE' here; this program may go on running meanwhile"))
        }
    }

    /// The last picture is encoded and sent in a few milliseconds, or its link is too slow to wait for.
    private func letLastPictureOut(_ controller: ProducerController) async {
        for _ in 0..<100 where !controller.isIdle { try? await Task.sleep(for: .milliseconds(10)) }
    }

    /// Once a second: the status line.
    private func tick(_ controller: ProducerController) async {
        var last = controller.statistics.outgoingPictures
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            guard !Task.isCancelled else { return }
            let statistics = controller.statistics
            let rate = statistics.outgoingPictures - min(last, statistics.outgoingPictures)
            last = statistics.outgoingPictures
            run.events.status(controller.isPaused ? "paused" : Self.line(controller, statistics, rate))
        }
    }

    private static func line(
        _ controller: ProducerController, _ statistics: ProducerStatistics, _ rate: UInt64
    ) -> String {
        let server = controller.publications.first { $0.value == .live }?.key
        switch controller.state {
        case .stopped: return "stopped"
        case .running(.active(let connection)): return line(to: connection.peer.name, statistics, rate)
        case .running where server != nil: return line(to: server.map { "\($0)" } ?? "", statistics, rate)
        case .running(.notConnected): return "waiting for a studio"
        case .running(.paused(let connection)): return "\(connection.peer.name): paused"
        }
    }

    private static func line(to name: String, _ statistics: ProducerStatistics, _ rate: UInt64) -> String {
        let megabits = Double((statistics.bitsPerSecond + 50_000) / 100_000) / 10
        let encode = statistics.encodeTime.map { ", encode \(($0.count + 500) / 1_000) ms" } ?? ""
        return "\(name): \(rate) fps, up to \(megabits) Mb/s\(encode)"
    }
}

extension ProducerStatistics {
    /// Pictures that went out, whoever coded them.
    fileprivate var outgoingPictures: UInt64 { encodedPictures + passedPictures }
}
