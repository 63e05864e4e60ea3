internal import DeviceCore

/// Cameras, sound devices, virtual cameras, and the groups that may use them.
enum DeviceChecks {
    static func cameras(_ view: MachineView) -> Check {
        let name = "cameras"
        if view.cameras.isEmpty {
            if let problem = view.cameraProblems.first {
                return Check(name, .missing, "no camera can be used: \(problem)", remedy: remedy(for: problem, "video"))
            }
            guard view.videoNodes.isEmpty else {
                return Check(
                    name, .missing,
                    "none of \(view.videoNodes.joined(separator: ", ")) gives pictures: they carry metadata, or take "
                        + "pictures", remedy: "plug in a camera; then: v4l2-ctl --list-devices")
            }
            return Check(
                name, .missing, "there is no /dev/video*",
                remedy: "plug in a camera; one that has no node of its own, such as a Raspberry Pi's: "
                    + "rpicam-vid -t 0 --inline --flush -o - | camo-producer --h264 -")
        }
        let busy = view.cameras.filter { !$0.holders.isEmpty }
        if let first = busy.first, busy.count == view.cameras.count {
            return Check(
                name, .warning, "\(first.path) is in use by \(first.holders.joined(separator: ", "))",
                remedy: "close that program")
        }
        if let problem = view.cameraProblems.first {
            return Check(name, .warning, "\(problem)", remedy: remedy(for: problem, "video"))
        }
        return Check(name, .ok, view.cameras.map(\.path).joined(separator: ", "))
    }

    static func microphones(_ view: MachineView) -> Check {
        sound(view, "microphones", view.microphones, lack: "no sound device to capture from; the picture goes on")
    }

    static func loudspeakers(_ view: MachineView) -> Check {
        sound(view, "loudspeakers", view.loudspeakers, lack: "no sound device to play on, for --alsa")
    }

    private static func sound(_ view: MachineView, _ name: String, _ devices: [String], lack: String) -> Check {
        if let refusal = view.soundRefusal {
            return Check(name, .missing, "\(refusal)", remedy: remedy(for: refusal, "audio"))
        }
        guard !devices.isEmpty else {
            return Check(name, .warning, lack, remedy: "plug one in; then: cat /proc/asound/cards")
        }
        return Check(name, .ok, devices.joined(separator: "; "))
    }

    /// Device nodes belong to these two groups on every distribution; whoever sits at the machine may get access
    /// without them (logind), others do not.
    static func groups(_ view: MachineView) -> Check {
        let lacking = ["video", "audio"].filter { !view.user.groups.contains($0) }
        if view.user.isRoot { return Check("groups", .ok, "root needs none") }
        guard !lacking.isEmpty else { return Check("groups", .ok, "video, audio") }
        let refused = !view.cameraProblems.isEmpty || view.soundRefusal != nil || !view.loopbackProblems.isEmpty
        return Check(
            "groups", refused ? .missing : .warning,
            "this user is not in \(lacking.joined(separator: " and ")): devices may be refused",
            remedy: "sudo usermod -aG \(lacking.joined(separator: ",")) \"$USER\", then log in again")
    }

    static func virtualCamera(_ view: MachineView) -> Check {
        let name = "virtualCamera"
        let module = view.loopback
        guard module.isLoaded else {
            let load = LoopbackModule.loadCommand()
            return view.isLoopbackInstalled
                ? Check(name, .missing, "the module v4l2loopback is not loaded, for --v4l2", remedy: load)
                : Check(
                    name, .missing, "the module v4l2loopback is not installed, for --v4l2",
                    remedy: "\(LoopbackModule.installCommand) && \(load)")
        }
        guard let first = module.devices.first else {
            return Check(name, .missing, "v4l2loopback has no device", remedy: LoopbackModule.reloadCommand())
        }
        let faults = virtualCameraFaults(view, first)
        guard faults.isEmpty else {
            // All of them: what is mended only in part does not work either.
            return Check(
                name, faults.contains { $0.outcome == .missing } ? .missing : .warning,
                faults.map(\.text).joined(separator: "; "),
                remedy: faults.compactMap(\.remedy).joined(separator: "; then: "))
        }
        return Check(name, .ok, module.devices.map { "\($0.path) (\($0.label))" }.joined(separator: ", "))
    }

    private static func virtualCameraFaults(_ view: MachineView, _ first: LoopbackModule.Device) -> [Check] {
        let name = "virtualCamera"
        var faults: [Check] = []
        if let problem = view.loopbackProblems.first {
            faults.append(Check(name, .missing, "\(problem)", remedy: remedy(for: problem, "video")))
        }
        if !view.loopback.devices.contains(where: \.isExclusive) {
            faults.append(
                Check(
                    name, .warning,
                    "\(first.path): v4l2loopback was loaded without exclusive_caps=1: Chrome and Zoom do not list it",
                    remedy: LoopbackModule.reloadCommand(for: first.path)))
        }
        if let held = view.loopbackNodes.first, view.loopbackNodes.allSatisfy({ !$0.holders.isEmpty }) {
            faults.append(
                Check(
                    name, .warning, "\(held.path) is in use by \(held.holders.joined(separator: ", "))",
                    remedy: "close that program if it feeds the camera; one that watches does no harm"))
        }
        return faults
    }

    private static func remedy(for problem: DeviceError, _ group: String) -> String? {
        switch problem.code {
        case .permissionDenied: "sudo usermod -aG \(group) \"$USER\", then log in again"
        case .busy: "close the program that uses it"
        default: nil
        }
    }
}
