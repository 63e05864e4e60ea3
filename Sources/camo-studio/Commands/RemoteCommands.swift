import CommandCore
import Confinement
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
            for control in options.assignments.shown(of: controller.controls) {
                try run.events.tell(control, asJSON: run.options.global.json)
            }
            if controller.controls.isEmpty {
                run.events.write(Event("noControls", sentence: "The camera has nothing that can be set"))
            }
        }
    }

    /// Tells what the producer can do: as it says now, or said last.
    func capabilities(_ producer: ProducerChoice) async -> ExitCode {
        let found = Locked<ProducerCapabilities?>(nil)
        return await perform(producer) { controller in
            let known = controller.knownCapabilities(of: producer)
            do {
                let now = try await controller.waitForCapabilities(atMost: known == nil ? Self.patience : .seconds(3))
                found.withLock { $0 = now }
            } catch let error as StudioError {
                guard error.code == .timedOut, let known else { throw error }
                run.events.write(
                    Event("notice", sentence: "It is not connected; this is what it could when it was last", [:]))
                found.withLock { $0 = known }
            }
        } tell: { _ in
            guard let capabilities = found.withLock({ $0 }) else { return }
            guard !run.options.global.json else { return try run.print("", capabilities.event) }
            for line in capabilities.lines { try run.print(line, capabilities.event) }
        }
    }

    /// Lists what the producer has recorded.
    func recordings(_ producer: ProducerChoice) async -> ExitCode {
        let found = Locked<[Recording]>([])
        return await perform(producer) { controller in
            _ = try await controller.waitForCapabilities(atMost: Self.patience)
            let list = try await controller.recordings()
            found.withLock { $0 = list }
        } tell: { _ in
            let list = found.withLock { $0 }
            for recording in list { try run.print(recording.line, recording.event) }
            if list.isEmpty { run.events.write(Event("noRecordings", sentence: "The producer has recorded nothing")) }
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
            return run.exitCode(for: early, controller)
        }
    }
}

extension StudioController {
    /// What is remembered of the producer that is meant, where that is one.
    fileprivate func knownCapabilities(of choice: ProducerChoice) -> ProducerCapabilities? {
        let producers = pairedDevices.filter { $0.role == .producer }
        switch choice {
        case .device(let text): return (try? pairedDevice(matching: text)).flatMap { capabilities(of: $0.id) }
        case .automatic: return producers.count == 1 ? capabilities(of: producers[0].id) : nil
        case .connect, .listen: return nil
        }
    }
}

extension ProducerCapabilities {
    /// One line for each thing.
    fileprivate var lines: [String] {
        let names = definitions.map { $0 == defaultDefinition ? "\($0.rawValue) (unless asked)" : $0.rawValue }
        let lines = [
            ("definitions", names.joined(separator: ", ")),
            ("streams", streamCount == 2 ? "picture and sound" : "picture"),
            ("speaker", hasSpeaker ? "yes" : "no"),
            ("camera", canSelectCamera ? "can be chosen and set" : canSetControls ? "can be set" : "as it is"),
            ("motion", detectsMotion ? "yes" : "no"),
            ("encoders", encoders.joined(separator: ", ")),
        ]
        return lines.map { "\($0.0): \($0.1)" }
    }

    fileprivate var event: Event {
        Event(
            "capabilities",
            [
                "definitions": .array(definitions.map { .string($0.rawValue) }),
                "defaultDefinition": JSONValue(defaultDefinition?.rawValue), "streams": JSONValue(streamCount),
                "microphone": .bool(hasMicrophone), "speaker": .bool(hasSpeaker),
                "selectCamera": .bool(canSelectCamera), "setControl": .bool(canSetControls),
                "motion": .bool(detectsMotion), "encoders": .array(encoders.map { .string($0) }),
                "raw": .string(json),
            ])
    }
}
