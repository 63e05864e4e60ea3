internal import TransportCore

/// The key of this installation and the devices it knows.
enum StateChecks {
    static func all(_ view: MachineView, _ program: Examination.Program) -> [Check] {
        switch view.state {
        case .success(let state)?: [directory(state), identity(state), devices(state, program)]
        case .failure(let error)?: [Check("state", .missing, "\(error)", remedy: "name a directory with --state-dir")]
        case nil: []
        }
    }

    private static func directory(_ state: StateInspection) -> Check {
        guard let mode = state.directoryMode else {
            return Check("state", .ok, "\(state.path) will be made when it is needed")
        }
        guard state.isOwn else {
            return Check(
                "state", .missing, "\(state.path) belongs to another user",
                remedy: "sudo chown -R \"$USER\" \(state.path)")
        }
        let open = mode & 0o077 != 0 ? [state.path] : []
        let files = state.files.filter { $0.mode & 0o177 != 0 }.map(\.path)
        guard open.isEmpty, files.isEmpty else {
            let commands = open.map { "chmod 700 \($0)" } + files.map { "chmod 600 \($0)" }
            return Check(
                "state", .warning, "others may read \((open + files).joined(separator: ", "))",
                remedy: commands.joined(separator: " && "))
        }
        return Check("state", .ok, "\(state.path), readable by its user alone")
    }

    private static func identity(_ state: StateInspection) -> Check {
        switch state.identity {
        case .absent: Check("identity", .ok, "a key will be made when it is needed")
        case .good: Check("identity", .ok, "the key of this installation is there")
        case .bad(let why):
            Check("identity", .missing, why, remedy: "put back a copy, or remove the file and pair every device again")
        }
    }

    private static func devices(_ state: StateInspection, _ program: Examination.Program) -> Check {
        let other = program == .producer ? "studio" : "producer"
        let how =
            program == .producer
            ? "run 'camo-studio pair' there and 'camo-producer pair CODE' here"
            : "run 'camo-studio pair' here and 'camo-producer pair CODE' there"
        switch state.devices {
        case .absent: return Check("pairedDevices", .warning, "no \(other) is paired yet", remedy: how)
        case .good:
            guard state.pairedCount > 0 else {
                return Check("pairedDevices", .warning, "no \(other) is paired yet", remedy: how)
            }
            return Check("pairedDevices", .ok, "\(state.pairedCount) paired")
        case .bad(let why):
            return Check("pairedDevices", .missing, why, remedy: "start the program once: it takes the last good copy")
        }
    }
}
