import CommandCore
import Confinement
import Dispatch
import Glibc
import ProducerKit

/// `camo-producer pair CODE` and `pair -`.
struct PairCommand {
    private let input: ProducerOptions.PairingInput
    /// What the studio will call this producer; nil: the host's name.
    private let name: String?
    private let run: CommandRun

    init(_ input: ProducerOptions.PairingInput, name: String?, _ run: CommandRun) {
        self.input = input
        self.name = name
        self.run = run
    }

    func perform() async -> ExitCode {
        let code: Secret
        switch input {
        case .code(let secret): code = secret
        case .standardInput:
            switch await firstLineOrEnding() {
            case .line(let line?): code = line
            case .line(nil): return run.fail("no pairing code came on standard input", .badData)
            case .ended(let ending): return exitCode(ending)
            }
        }
        let controller = ProducerController(configuration: run.configuration(name: name))
        let reporter = ProducerReporter(run)
        controller.delegate = reporter
        defer { withExtendedLifetime(reporter) {} }
        do throws(ProducerPairingError) {
            let studio = try controller.studio(inCode: code.text)
            run.events.write(
                Event(
                    "pairing", sentence: "Pairing with \(studio.name) (\(studio.id.fingerprint)) …",
                    ["id": .string(studio.id.short), "name": .string(studio.name)]))
        } catch {
            return run.fail(error.description, ExitCode(error))
        }
        return await pair(controller, code)
    }

    private func pair(_ controller: ProducerController, _ code: Secret) async -> ExitCode {
        let watch = Task {
            let ending = await run.ending()
            controller.cancelPairing()
            return ending
        }
        do {
            let studio = try await controller.pairStudioWithQRCodeData(code.text)
            watch.cancel()
            run.events.write(
                Event(
                    "paired", sentence: "Paired with \(studio.name) (\(studio.id.fingerprint))",
                    ["id": .string(studio.id.short), "name": .string(studio.name)]))
            return .success
        } catch ProducerPairingError.cancelled {
            return exitCode(await watch.value)
        } catch let error as ProducerPairingError {
            return run.fail(error.description, ExitCode(error))
        } catch {
            return run.fail(error)
        }
    }

    private func exitCode(_ ending: Ending) -> ExitCode {
        if case .signal(let number) = ending { return SignalWatcher.exitCode(for: number) }
        return run.fail(ProducerPairingError.cancelled.description, .refused)
    }

    private enum Input: Sendable {
        case line(Secret?)
        case ended(Ending)
    }

    /// What comes first. A thread that goes on reading ends with the process.
    private func firstLineOrEnding() async -> Input {
        let first = FirstValue<Input>()
        DispatchQueue.global().async { first.set(.line(Self.readLine())) }
        let watch = Task { first.set(.ended(await run.ending())) }
        defer { watch.cancel() }
        return await first.wait() ?? .line(nil)
    }

    /// The first line of standard input, at most a few kilobytes of it.
    private static func readLine() -> Secret? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 4_096, read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return bytes.isEmpty ? nil : Secret(String(decoding: bytes, as: UTF8.self))
    }
}

extension ExitCode {
    init(_ error: ProducerPairingError) {
        self =
            switch error {
            case .invalidCode: .badData
            case .codeExpired, .codeUsed, .refused, .unsupportedVersion: .refused
            case .timedOut: .unavailable
            case .stateUnusable: .cannotCreate
            case .busy: .busy
            case .cancelled: .interrupted
            }
    }
}
