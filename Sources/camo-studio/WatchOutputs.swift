import CommandCore
import StudioKit

/// Where pictures and sound go, but for a recording, which the controller has.
struct WatchOutputs: Sendable {
    private let outputs: [any EndableOutput]

    /// Opens the devices first: what is wrong with one is said before anything is connected.
    ///
    /// - Throws: ``StudioError`` when a device cannot be had.
    init(_ options: WatchOptions, _ run: CommandRun) throws(StudioError) {
        let report: @Sendable (String) -> Void = { line in
            run.events.write(Event("notice", sentence: line, ["text": .string(line)]))
        }
        var outputs: [any EndableOutput] = []
        if let path = options.virtualCamera {
            outputs.append(
                try VirtualCameraOutput(
                    path: path, size: options.definition?.box ?? VirtualCameraOutput.standardSize, report: report))
        }
        if let device = options.loudspeaker {
            outputs.append(try LoudspeakerOutput(device: device, report: report))
        }
        if let format = options.standardOutput {
            outputs.append(StandardOutput.make(format, hasSound: options.hasSound, run))
        }
        self.outputs = outputs
    }

    func add(to controller: StudioController) {
        for output in outputs { controller.add(output) }
    }

    /// All at once: each has as long as the slowest.
    func finish(within limit: Microseconds) async {
        await withTaskGroup(of: Void.self) { group in
            for output in outputs { group.addTask { await output.finish(within: limit) } }
        }
    }
}
