import CommandCore
import DeviceCore

/// `camo-producer list`: the cameras and microphones of this machine.
struct ListCommand {
    private let run: CommandRun
    init(_ run: CommandRun) { self.run = run }

    func perform() -> ExitCode {
        do {
            let cameras = VideoDevice.survey()
            for camera in cameras.devices { try show(camera) }
            for problem in cameras.problems { tell(problem) }
            if cameras.devices.isEmpty, cameras.problems.isEmpty {
                run.events.write(Event("noCamera", sentence: "There is no camera on this machine"))
            }
            let microphones = SoundDevice.list()
            for microphone in microphones { try show(microphone) }
            // Also where there is no card: a sound server may have one elsewhere.
            if (try? SoundDevice.default.abilities()) != nil {
                try show(.default)
            } else if microphones.isEmpty {
                run.events.write(Event("noMicrophone", sentence: "There is no microphone on this machine"))
            }
            return .success
        } catch {
            return error == .readerGone ? .success : run.fail(error)
        }
    }

    private func show(_ camera: VideoDevice) throws(OutputError) {
        guard let offer = answer({ () throws(DeviceError) in try camera.offer() }) else { return }
        let controls = answer { () throws(DeviceError) in try CameraControls(camera).read() }
        let listing = CameraListing(camera, offer, controls ?? [])
        try show(listing.event, listing.lines)
    }

    private func show(_ microphone: SoundDevice) throws(OutputError) {
        guard let abilities = answer({ () throws(DeviceError) in try microphone.abilities() }) else { return }
        let listing = MicrophoneListing(microphone, abilities)
        try show(listing.event, listing.lines)
    }

    /// What a device says, or why it does not.
    private func answer<Answer>(_ question: () throws(DeviceError) -> Answer) -> Answer? {
        do throws(DeviceError) {
            return try question()
        } catch {
            tell(error)
            return nil
        }
    }

    private func show(_ event: Event, _ lines: [String]) throws(OutputError) {
        guard !run.options.global.json else { return run.events.write(event) }
        for line in lines { try OutputWriter.standardOutput.write(TerminalText.cleaned(line) + "\n") }
    }

    /// A device that cannot be looked at is not absent.
    private func tell(_ problem: DeviceError) {
        run.events.write(
            Event(
                "problem", sentence: problem.description,
                [
                    "device": .string(problem.device), "code": .string(problem.code.rawValue),
                    "text": .string(problem.description),
                ]))
    }
}
