import CommandCore
import StudioKit

/// Where pictures and sound go, but for a recording, which the controller has.
struct WatchOutputs: Sendable {
    private let outputs: [any EndableOutput]
    private let camera: VirtualCameraOutput?
    private let loudspeaker: LoudspeakerOutput?

    /// Opens the devices first: what is wrong with one is said before anything is connected.
    ///
    /// - Throws: ``StudioError`` when a device cannot be had.
    init(_ options: WatchOptions, _ run: CommandRun) throws(StudioError) {
        let report: @Sendable (String) -> Void = { line in
            run.events.write(Event("notice", sentence: line, ["text": .string(line)]))
        }
        var outputs: [any EndableOutput] = []
        camera = try options.virtualCamera.map { path throws(StudioError) in
            try VirtualCameraOutput(
                path: path, size: options.definition?.box ?? VirtualCameraOutput.standardSize, report: report)
        }
        if let camera { outputs.append(camera) }
        loudspeaker = try options.loudspeaker.map { device throws(StudioError) in
            try LoudspeakerOutput(device: device, report: report)
        }
        if let loudspeaker { outputs.append(loudspeaker) }
        if let format = options.standardOutput {
            outputs.append(StandardOutput.make(format, hasSound: options.hasSound, run))
        }
        self.outputs = outputs
    }

    func add(to controller: StudioController) {
        for output in outputs { controller.add(output) }
    }

    /// How the devices are doing, for `--stats`. Counts are since the command began.
    var events: [Event] {
        var events: [Event] = []
        if let counts = camera?.statistics {
            events.append(
                Event(
                    "virtualCamera",
                    sentence: "camera: \(counts.shown) pictures, \(counts.stills) stills, \(counts.dropped) left out",
                    [
                        "pictures": .integer(Int64(clamping: counts.shown)),
                        "stills": .integer(Int64(clamping: counts.stills)),
                        "dropped": .integer(Int64(clamping: counts.dropped)),
                    ]))
        }
        if let counts = loudspeaker?.statistics {
            events.append(
                Event(
                    "playback", sentence: "sound: ran out \(counts.underflows) times",
                    [
                        "samples": JSONValue(counts.samples), "silentSamples": JSONValue(counts.silence),
                        "underflows": JSONValue(counts.underflows), "underruns": JSONValue(counts.underruns),
                        "losses": JSONValue(counts.losses),
                    ]))
        }
        return events
    }

    /// All at once: each has as long as the slowest.
    func finish(within limit: Microseconds) async {
        await withTaskGroup(of: Void.self) { group in
            for output in outputs { group.addTask { await output.finish(within: limit) } }
        }
    }
}
