import CommandCore
import StudioKit

/// `camo-studio cameras` and `camo-studio controls`: connects without taking a picture, asks, ends.
struct RemoteCommands {
    /// A producer that is there has answered long before.
    private static let patience = Duration.seconds(10)

    private let run: CommandRun
    init(_ run: CommandRun) { self.run = run }

    /// Lists the producer's cameras, after choosing one of them.
    func cameras(_ options: CamerasOptions) async -> ExitCode {
        await perform(options.producer) { controller in
            _ = try await controller.waitForCameras(atMost: Self.patience)
            if let wanted = options.selection {
                let cameras = controller.cameras
                // A name is as good where one camera alone has it. What the producer has not listed is its to judge.
                let named = cameras.contains { $0.id == wanted } ? [] : cameras.filter { $0.name == wanted }
                try await controller.selectCamera(named.count == 1 ? named.first?.id ?? wanted : wanted)
            }
        } tell: { controller in
            for camera in controller.cameras {
                let isSelected = camera.id == controller.selectedCamera
                try run.print(
                    "\(camera.id)  \(camera.name)\(isSelected ? "  (shown)" : "")",
                    Event(
                        "camera",
                        ["id": .string(camera.id), "name": .string(camera.name), "selected": .bool(isSelected)]))
            }
        }
    }

    /// Lists the controls of the producer's camera, or sets some of them and lists those.
    func controls(_ options: ControlsOptions) async -> ExitCode {
        await perform(options.producer) { controller in
            _ = try await controller.waitForCameras(atMost: Self.patience)
            for (control, value) in try options.assignments.values(among: controller.controls) {
                try await controller.setControl(control, to: value)
            }
        } tell: { controller in
            let named = options.assignments.map(\.control)
            for control in controller.controls where named.isEmpty || named.contains(control.id) {
                try run.events.tell(control, asJSON: run.options.global.json)
            }
            if controller.controls.isEmpty {
                run.events.write(Event("noControls", sentence: "The camera has nothing that can be set"))
            }
        }
    }

    private func perform(
        _ producer: ProducerChoice, _ work: @escaping @Sendable (StudioController) async throws -> Void,
        tell: (StudioController) throws -> Void
    ) async -> ExitCode {
        let controller = run.controller(name: nil, takesMedia: false)
        let reporter = StudioReporter(run)
        controller.delegate = reporter
        defer { withExtendedLifetime(reporter) {} }
        do {
            try controller.start()
            try controller.connect(to: try ProducerTarget(producer, controller))
        } catch {
            return run.fail(error)
        }
        let result = await run.race { try await work(controller) }
        let code = conclude(result, controller, tell)
        await controller.stop()
        return code
    }

    private func conclude(
        _ result: Result<Void, CommandRun.EndedEarly>, _ controller: StudioController,
        _ tell: (StudioController) throws -> Void
    ) -> ExitCode {
        switch result {
        case .success:
            do {
                try tell(controller)
                return .success
            } catch OutputError.readerGone {
                return .success
            } catch {
                return run.fail(error)
            }
        case .failure(let early):
            // Why there was no answer is more use than that there was none.
            if case .failed(let error) = early.ending, error.code == .timedOut,
                case .waiting(let why) = controller.state
            {
                return run.fail(StudioError(.unavailable, "no answer: \(why.reason)"))
            }
            return run.exitCode(for: early.ending)
        }
    }
}
