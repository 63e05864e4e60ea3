import CommandCore
import Confinement
import StudioKit

/// `camo-studio pair`: shows a code until a producer has used it.
struct PairCommand {
    private let options: PairOptions
    private let run: CommandRun

    init(_ options: PairOptions, _ run: CommandRun) {
        self.options = options
        self.run = run
    }

    func perform() async -> ExitCode {
        let controller = run.controller(
            name: options.name ?? options.thenWatch?.name, definition: options.thenWatch?.definition)
        let reporter = StudioReporter(run)
        controller.delegate = reporter
        // The code comes first, whatever there is to be said of the network.
        reporter.holdNotices()
        defer { reporter.releaseNotices() }
        let device: PairedDevice
        let watching: (command: WatchCommand, outputs: WatchOutputs)?
        do {
            // What it is all for is looked at first.
            watching = try options.thenWatch.map { (WatchCommand($0, run), try WatchOutputs($0, run)) }
            try controller.start()
            let code = try controller.pair(
                validFor: .seconds(Int64(options.validSeconds)), port: UInt16(clamping: options.port ?? 0))
            if let path = options.picture { try CodeFile.write(code, to: path) }
            try show(code)
            reporter.releaseNotices()
            let countdown = Task { await countDown(to: code.expiry) }
            defer { countdown.cancel() }
            switch await run.race({ try await controller.waitForPairing() }) {
            case .success(let paired): device = paired
            case .failure(let early):
                await controller.stop()
                return run.exitCode(for: early.ending)
            }
        } catch OutputError.readerGone {
            await controller.stop()
            return .success
        } catch {
            await controller.stop()
            return run.fail(error)
        }
        run.events.endStatus()
        run.events.write(
            Event(
                "paired", sentence: "Paired with \(device.name) (\(device.id.fingerprint))",
                ["id": .string(device.id.short), "name": .string(device.name)]))
        if let (command, outputs) = watching {
            return await command.perform(with: controller, target: .device(device.id), outputs: outputs)
        }
        await controller.stop()
        return .success
    }

    /// Programs get an event; a terminal gets the drawing and the text below it; a pipe the text alone.
    private func show(_ code: PairingCode) throws(OutputError) {
        let payload = Event(
            "pairing",
            [
                "payload": .string(code.text), "validSeconds": JSONValue(options.validSeconds),
                "fingerprint": .string(code.fingerprint),
            ])
        if run.options.global.json { return run.events.write(payload) }
        // With --then-watch --stdout the pictures have standard output.
        let isTaken = run.options.action.takesStandardOutput
        let output = isTaken ? OutputWriter(Terminal.standardError.descriptor) : .standardOutput
        let terminal = isTaken ? Terminal.standardError : .standardOutput
        if terminal.isTerminal, let drawing = code.drawing(.terminal) {
            try output.write(String(decoding: drawing, as: UTF8.self))
        }
        try output.write(code.text + "\n")
        run.events.write(
            Event(
                "hint",
                sentence:
                    "Give this code to the producer: camo-producer pair 'CODE'. It is a secret, good once and for "
                    + "\(options.validSeconds) s. This studio's fingerprint is \(code.fingerprint)"))
    }

    private func countDown(to expiry: MonotonicTime) async {
        let clock = SystemClock()
        while !Task.isCancelled {
            let left = max(0, ((expiry - clock.now).count + 999_999) / 1_000_000)
            let seconds = left % 60
            run.events.status("Waiting for a producer, \(left / 60):\(seconds < 10 ? "0" : "")\(seconds) left")
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
