import CommandCore
import ProducerKit

/// `camo-producer photo FILE`: opens a camera, takes one picture, ends.
struct PhotoCommand {
    private let options: PhotoOptions
    private let run: CommandRun

    init(_ options: PhotoOptions, _ run: CommandRun) {
        self.options = options
        self.run = run
    }

    func perform() async -> ExitCode {
        var configuration = run.configuration(name: nil)
        configuration.rotation = options.rotation
        configuration.isMirrored = options.isMirrored
        do {
            let camera = try CameraSource(options.camera, size: nil, framesPerSecond: nil)
            let controller = ProducerController(configuration: configuration, sources: [camera])
            let size = try await controller.takePhoto(
                to: options.file, replacesExisting: options.overwrites, withFlash: options.hasFlash)
            run.events.write(
                Event(
                    "photo", sentence: "Saved \(size) of \(camera.name) to \(options.file)",
                    [
                        "file": .string(options.file), "camera": .string(camera.selectedCamera.id),
                        "width": JSONValue(size.width), "height": JSONValue(size.height),
                    ]))
            return .success
        } catch {
            return run.fail(error)
        }
    }
}
