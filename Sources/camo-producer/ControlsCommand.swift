import CommandCore
import ProducerKit

/// `camo-producer controls`: shows what can be set on a camera, or sets it. Another program, this one's stream too, may
/// be using the camera.
struct ControlsCommand {
    private let options: ControlsOptions
    private let run: CommandRun

    init(_ options: ControlsOptions, _ run: CommandRun) {
        self.options = options
        self.run = run
    }

    func perform() -> ExitCode {
        do {
            let panel = try CameraPanel(options.camera)
            var controls = try panel.read()
            for (control, value) in try options.assignments.values(among: controls) {
                controls = try panel.set(control, to: value)
            }
            for control in options.assignments.shown(of: controls) {
                try run.events.tell(control, asJSON: run.options.global.json)
            }
            if controls.isEmpty {
                run.events.write(Event("noControls", sentence: "\(panel.camera.name) has nothing that can be set"))
            }
            return .success
        } catch OutputError.readerGone {
            return .success
        } catch let error as UsageError {
            return run.fail(error.description, .usage)
        } catch {
            return run.fail(error)
        }
    }
}
