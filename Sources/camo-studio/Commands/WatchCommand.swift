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
        let controller = run.controller(
            name: options.name, definition: options.definition, usb: options.usb,
            wantsMotion: options.tellsMotion)
        do {
            let outputs = try WatchOutputs(options, run)
            try controller.start()
            let target = try ProducerTarget(options.producer, controller)
            return await perform(with: controller, target: target, outputs: outputs)
        } catch {
            return run.fail(error)
        }
    }

    /// With a controller that is started already, after pairing.
    func perform(
        with controller: StudioController, target: ProducerTarget, outputs: WatchOutputs
    ) async -> ExitCode {
        guard run.mayGiveOut(options) else {
            await controller.stop()
            return .usage
        }
        let reporter = StudioReporter(
            run, endsWithSource: options.endsWithSource, endsWithRecording: options.isRecordingAlone)
        controller.delegate = reporter
        defer { withExtendedLifetime(reporter) {} }

        do {
            if let recording = options.recording {
                try await controller.startRecording(
                    to: recording.file, hasSound: options.hasSound, limits: recording.limits)
            }
            outputs.add(to: controller)
            try controller.connect(to: target)
        } catch {
            await controller.stop()
            await outputs.finish(within: .milliseconds(300))
            return run.fail(error)
        }

        let statistics = RunningStatistics(run, isTold: options.tellsStatistics)
        let ticker = Task { await statistics.follow(controller, outputs) }
        let talk = options.talk.map { talk in Task { await WatchTalk(controller, talk, run).begin() } }
        let ending = await run.ending()
        ticker.cancel()
        talk?.cancel()
        run.events.endStatus()
        return await finish(controller, outputs, reporter, ending)
    }

    private func finish(
        _ controller: StudioController, _ outputs: WatchOutputs, _ reporter: StudioReporter, _ ending: Ending
    ) async -> ExitCode {
        // At the end of a source everything that came is to arrive; a signal is in a hurry.
        var limit = Microseconds.milliseconds(300)
        if case .sourceEnded = ending {
            limit = .seconds(Int64(10))
            // Without one that is under way there is nothing to be told.
            if options.recording != nil { _ = try? await controller.stopRecording() }
        }
        return await run.close(controller, outputs, reporter, within: limit) { run.exitCode(for: ending) }
    }
}

extension WatchOptions {
    /// A file or a pipe is done when the source is. A webcam stays, and waits for the producer to come back.
    var endsWithSource: Bool { (recording != nil || standardOutput != nil) && virtualCamera == nil }

    /// Nothing is left to do where recording fails.
    var isRecordingAlone: Bool { recording != nil && standardOutput == nil && virtualCamera == nil }
}

extension StudioController {
    /// The first producer may still be to be paired.
    fileprivate func mayPairOverCable(_ choice: ProducerChoice) -> Bool {
        guard configuration.pairsOverCable else { return false }
        return switch choice {
        case .automatic, .listen: true
        case .device, .connect: false
        }
    }
}

extension ProducerTarget {
    /// - Throws: ``StudioError`` when nothing that could be meant is paired.
    init(_ choice: ProducerChoice, _ controller: StudioController) throws {
        let isPaired = controller.pairedDevices.contains { $0.role == .producer }
        guard isPaired || controller.mayPairOverCable(choice) else {
            throw StudioError(
                .unknownDevice,
                "no producer is paired with this studio yet: run 'camo-studio pair' and give the "
                    + "code to 'camo-producer pair', or connect the two by a USB cable and give --usb to both")
        }
        switch choice {
        case .automatic: self = .anyPaired
        case .device(let text): self = .device(try controller.pairedDevice(matching: text).id)
        case .connect(let address): self = .address(address)
        case .listen(let port): self = .listen(port: UInt16(clamping: port))
        }
    }
}
