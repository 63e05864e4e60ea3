import CommandCore
import Confinement
import Dispatch
import Glibc
import ProducerKit

/// `camo-producer pair CODE`, `pair -`, `pair --image FILE`, `pair --v4l2 DEV`.
struct PairCommand {
    private let options: PairingOptions
    private let run: CommandRun

    init(_ options: PairingOptions, _ run: CommandRun) {
        self.options = options
        self.run = run
    }

    func perform() async -> ExitCode {
        let code: Secret
        switch await input() {
        case .code(let found?): code = found
        case .code(nil): return run.fail("no pairing code came on standard input", .badData)
        case .failed(let error): return fail(error)
        case .ended(let ending): return exitCode(ending)
        }
        let controller = ProducerController(configuration: run.configuration(name: options.name))
        let reporter = ProducerReporter(run)
        controller.delegate = reporter
        defer { withExtendedLifetime(reporter) {} }
        do throws(ProducerPairingError) {
            let studio = try controller.studio(inCode: code.text)
            if options.input.isSeen, let refusal = await refusal(of: studio.name, studio.id) { return refusal }
            run.events.write(
                Event(
                    "pairing", sentence: "Pairing with \(studio.name) (\(studio.id.fingerprint)) …",
                    ["id": .string(studio.id.short), "name": .string(studio.name)]))
        } catch {
            return fail(error)
        }
        return await pair(controller, code)
    }

    /// Asks whether the studio is the right one. Nil: it is.
    private func refusal(of name: String, _ id: DeviceID) async -> ExitCode? {
        if let expected = options.confirmedName {
            guard name != expected else { return nil }
            return run.fail(
                "the code is of \(TerminalText.cleaned(name)) (\(id.fingerprint)), not of "
                    + "\(TerminalText.cleaned(expected)): nothing was done", .refused)
        }
        guard TerminalQuestion.isPossible else {
            return run.fail(
                "the code is of \(TerminalText.cleaned(name)) (\(id.fingerprint)): to pair with it without being asked, "
                    + "say --yes '\(TerminalText.cleaned(name))'", .usage)
        }
        switch await answer(name, id) {
        case .yes: return nil
        case .no: return run.fail("not paired with \(TerminalText.cleaned(name)): nothing was done", .refused)
        case .ended(let ending): return exitCode(ending)
        }
    }

    private enum Answer: Sendable {
        case yes
        case no
        case ended(Ending)
    }

    private func answer(_ name: String, _ id: DeviceID) async -> Answer {
        let first = FirstValue<Answer>()
        let question = Task {
            let isYes = await TerminalQuestion.isAnsweredYes {
                run.events.write(
                    Event(
                        "codeSeen",
                        sentence: "The code is of “\(name)”, fingerprint \(id.fingerprint): does that studio show the "
                            + "same? y and Enter pairs; anything else is no",
                        ["id": .string(id.short), "name": .string(name), "fingerprint": .string(id.fingerprint)]))
            }
            first.set(isYes ? .yes : .no)
        }
        let watch = Task {
            first.set(.ended(await run.ending()))
            question.cancel()
        }
        defer { watch.cancel() }
        return await first.wait() ?? .no
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
        } catch {
            return fail(error)
        }
    }

    private func fail(_ error: any Error) -> ExitCode {
        guard let error = error as? ProducerPairingError else { return run.fail(error) }
        return run.fail(error.description, ExitCode(error))
    }

    private func exitCode(_ ending: Ending) -> ExitCode {
        if case .signal(let number) = ending { return SignalWatcher.exitCode(for: number) }
        return run.fail(ProducerPairingError.cancelled.description, .refused)
    }

    private enum Outcome: Sendable {
        case code(Secret?)
        case failed(any Error)
        case ended(Ending)
    }

    /// What comes first: the code, or the end of the command. A thread that goes on reading standard input ends with the
    /// process.
    private func input() async -> Outcome {
        let reader = PairingCodeReader()
        switch options.input {
        case .code(let code): return .code(code)
        case .standardInput:
            return await outcome { first in
                DispatchQueue.global().async { first.set(.code(Self.readLine())) }
                return nil
            }
        case .image(let path):
            return await outcome { first in Task { first.set(await Self.outcome { try reader.code(inImage: path) }) } }
        case .camera(let camera):
            return await outcome { first in
                Task {
                    first.set(
                        await Self.outcome {
                            try await reader.code(seenBy: camera) { [run] name in
                                let sentence = "Looking for the studio's code with \(name), for a minute …"
                                run.events.write(Event("looking", sentence: sentence, ["camera": .string(name)]))
                            }
                        })
                }
            }
        }
    }

    /// - Parameter begin: Begins what sets the value; a task that is waited for, so that a camera is closed again.
    private func outcome(_ begin: (FirstValue<Outcome>) -> Task<Void, Never>?) async -> Outcome {
        let first = FirstValue<Outcome>()
        let task = begin(first)
        let watch = Task {
            let ending = await run.ending()
            first.set(.ended(ending))
            task?.cancel()
        }
        defer { watch.cancel() }
        let outcome = await first.wait() ?? .code(nil)
        await task?.value
        return outcome
    }

    private static func outcome(_ find: () async throws -> String) async -> Outcome {
        do { return .code(Secret(try await find())) } catch { return .failed(error) }
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
