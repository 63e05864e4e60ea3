import CommandCore
import Glibc
import StudioKit

/// `camo-studio devices` and `devices remove`.
struct DevicesCommand {
    private let run: CommandRun
    init(_ run: CommandRun) { self.run = run }

    func list() async -> ExitCode {
        await withController { controller in
            for device in controller.pairedDevices {
                try run.print(
                    "\(device.id.short)  \(day(device.pairedAtMilliseconds))  \(device.name)",
                    Event(
                        "device",
                        [
                            "id": .string(device.id.short), "name": .string(device.name),
                            "role": .string(device.role.rawValue), "fingerprint": .string(device.id.fingerprint),
                            "pairedAtMilliseconds": .integer(device.pairedAtMilliseconds),
                            "addresses": .array(device.addresses.map { .string($0) }),
                        ]))
            }
            if controller.pairedDevices.isEmpty {
                run.events.write(Event("noDevices", sentence: "No producer is paired; 'camo-studio pair' begins"))
            }
        }
    }

    func remove(_ text: String) async -> ExitCode {
        await withController { controller in
            let device = try controller.pairedDevice(matching: text)
            try await controller.removePairedDevice(device.id)
            run.events.write(
                Event(
                    "removed", sentence: "Removed \(device.name) (\(device.id.short))",
                    ["id": .string(device.id.short), "name": .string(device.name)]))
        }
    }

    private func withController(_ body: (StudioController) async throws -> Void) async -> ExitCode {
        let controller = run.controller(name: nil)
        do {
            try controller.start()
            try await body(controller)
            await controller.stop()
            return .success
        } catch OutputError.readerGone {
            return .success
        } catch {
            return run.fail(error)
        }
    }

    /// The day in UTC, as ISO 8601 writes it.
    private func day(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "----------" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1_900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }
}

extension CommandRun {
    /// Data of a command: a line on standard output, or an event for programs.
    func print(_ line: String, _ event: Event) throws(OutputError) {
        if options.global.json {
            events.write(event)
        } else {
            try OutputWriter.standardOutput.write(TerminalText.cleaned(line) + "\n")
        }
    }
}
