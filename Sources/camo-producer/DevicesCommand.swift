import CommandCore
import Glibc
import ProducerKit

/// `camo-producer devices` and `devices remove`.
struct DevicesCommand {
    private let run: CommandRun
    init(_ run: CommandRun) { self.run = run }

    func list() -> ExitCode {
        let controller = ProducerController(configuration: run.configuration(name: nil))
        do {
            let devices = try controller.readPairedDevices()
            for device in devices { try show(device) }
            if devices.isEmpty {
                run.events.write(
                    Event("noDevices", sentence: "No studio is paired; 'camo-studio pair' there shows a code"))
            }
            return .success
        } catch OutputError.readerGone {
            return .success
        } catch {
            return run.fail(error)
        }
    }

    func remove(_ text: String) -> ExitCode {
        let controller = ProducerController(configuration: run.configuration(name: nil))
        do {
            let device = try controller.removePairedDevice(matching: text)
            run.events.write(
                Event(
                    "removed", sentence: "Removed \(device.name) (\(device.id.short))",
                    ["id": .string(device.id.short), "name": .string(device.name)]))
            return .success
        } catch {
            return run.fail(error)
        }
    }

    private func show(_ device: PairedDevice) throws(OutputError) {
        guard run.options.global.json else {
            let line = "\(device.id.short)  \(device.name)"
            return try OutputWriter.standardOutput.write(TerminalText.cleaned(line) + "\n")
        }
        run.events.write(
            Event(
                "device",
                [
                    "id": .string(device.id.short), "name": .string(device.name),
                    "role": .string(device.role.rawValue), "fingerprint": .string(device.id.fingerprint),
                    "pairedAtMilliseconds": .integer(device.pairedAtMilliseconds),
                ]))
    }
}
