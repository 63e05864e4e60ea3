import Confinement
import Glibc
import Testing

@testable import TransportCore

@Suite struct StateDirectoryTests {
    private let directory = TemporaryDirectory()

    private func surroundings(_ variables: [String: String], passwd: String? = nil) -> StateDirectory.Surroundings {
        StateDirectory.Surroundings(variable: { variables[$0] }, homeInPasswd: { passwd })
    }

    private func standard(_ surroundings: StateDirectory.Surroundings) throws -> String {
        try StateDirectory(chosen: nil, program: "camo-studio", surroundings: surroundings, report: { _ in }).path
    }

    @Test func `the first of XDG_STATE_HOME, HOME and passwd that is usable`() throws {
        let root = directory.path
        #expect(
            try standard(surroundings(["XDG_STATE_HOME": root + "/xdg", "HOME": root + "/home"]))
                == root + "/xdg/camo-studio")
        #expect(
            try standard(surroundings(["HOME": root + "/home"], passwd: root + "/passwd"))
                == root + "/home/.local/state/camo-studio")
        #expect(
            try standard(surroundings([:], passwd: root + "/passwd")) == root + "/passwd/.local/state/camo-studio")
        // Made private, all the way.
        #expect(directory.mode("home/.local/state/camo-studio") == 0o700)
        #expect(directory.mode("home/.local") == 0o700)
    }

    @Test(arguments: ["", "relative/state", ".", "/", "//"])
    func `an unusable value is passed over`(value: String) throws {
        let root = directory.path
        #expect(
            try standard(surroundings(["XDG_STATE_HOME": value, "HOME": value], passwd: root + "/passwd"))
                == root + "/passwd/.local/state/camo-studio")
    }

    @Test(arguments: [nil, "", "/", "relative"] as [String?])
    func `without any, it says so and names the option`(home: String?) {
        let error = #expect(throws: TransportError.self) { try standard(surroundings([:], passwd: home)) }
        #expect(error?.code == .noStateDirectory)
        #expect(error?.message.contains("--state-dir") == true)
    }

    @Test func `the surroundings of this process are found`() throws {
        let own = StateDirectory.Surroundings.ofThisProcess
        #expect(own.variable("PATH") == getenv("PATH").map { String(cString: $0) })
        #expect(own.variable("CAMO_NO_SUCH_VARIABLE") == nil)
        #expect(own.homeInPasswd()?.hasPrefix("/") ?? true)
    }

    @Test func `a chosen directory is made, and is absolute from then on`() async {
        let path = directory.path
        // In a process of its own: it changes its directory.
        await #expect(processExitsWith: .success) { [path = path as String] in
            guard chdir(path) == 0 else { exit(3) }
            let state = try StateDirectory(chosen: "new/state", program: "camo-test", report: { _ in })
            guard state.path == path + "/new/state" else { exit(4) }
            guard chdir("/") == 0 else { exit(5) }
            try state.file("x").replace(with: [1])
            exit(EXIT_SUCCESS)
        }
        #expect(directory.mode("new/state") == 0o700)
        #expect(directory.mode("new/state/x") == 0o600)
    }

    @Test func `an empty choice, a file in its place and a place that can't be are errors`() {
        let empty = #expect(throws: TransportError.self) {
            try StateDirectory(chosen: "", program: "camo-test", report: { _ in })
        }
        #expect(empty?.code == .noStateDirectory)
        directory.write([1], to: "file")
        for chosen in ["file", "file/below", "\(String(repeating: "x", count: 300))"] {
            let error = #expect(throws: TransportError.self) {
                try StateDirectory(chosen: "\(directory.path)/\(chosen)", program: "camo-test", report: { _ in })
            }
            #expect(error?.message.contains("--state-dir") == true)
        }
    }

    @Test func `a directory that may not be written is an error that says so`() async {
        let path = directory.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            chmod(path, 0o555)
            OrdinaryUser.become()
            do throws(TransportError) {
                _ = try StateDirectory(chosen: path + "/state", program: "camo-test", report: { _ in })
            } catch {
                OrdinaryUser.end(
                    error.code == .noPermission && error.message.contains(path + "/state") ? EXIT_SUCCESS : 4)
            }
            OrdinaryUser.end(5)
        }
    }

    @Test func `the standard directory is closed to others, and that is said`() throws {
        let root = directory.path
        mkdir(root + "/camo-test", 0o755)
        chmod(root + "/camo-test", 0o755)
        let lines = Locked<[String]>([])
        _ = try StateDirectory(
            chosen: nil, program: "camo-test", surroundings: surroundings(["XDG_STATE_HOME": root]),
            report: { line in lines.withLock { $0.append(line) } })
        #expect(directory.mode("camo-test") == 0o700)
        #expect(lines.withLock { $0 }.count == 1)
    }

    @Test func `a chosen directory that others may write is not changed, but that is said`() throws {
        let shared = directory.path + "/shared"
        mkdir(shared, 0o777)
        chmod(shared, 0o1777)
        _ = try directory.state("shared")
        #expect(directory.mode("shared") == 0o1777)
        #expect(directory.reports.count == 1 && directory.reports[0].contains("chmod 700"))
    }

    // MARK: Files

    @Test func `a file is replaced whole, private, without a trace`() throws {
        let state = try directory.state()
        let file = state.file("thing")
        #expect(try file.read(atMost: 10) == nil)
        for size in [0, 1, 5, 300_000] {
            try file.replace(with: [UInt8](repeating: 7, count: size))
            #expect(try file.read(atMost: 1 << 20) == [UInt8](repeating: 7, count: size))
        }
        #expect(directory.names() == ["thing"])
        #expect(directory.mode("state/thing") == 0o600)
        // One more than allowed shows that it is too long.
        #expect(try file.read(atMost: 10)?.count == 11)
    }

    @Test(arguments: [0, 0o777] as [mode_t])
    func `a file is private whatever the umask`(mask: mode_t) async {
        let path = directory.path
        await #expect(processExitsWith: .success) { [path = path as String, mask = mask as mode_t] in
            let state = try StateDirectory(chosen: path, program: "camo-test", report: { _ in })
            umask(mask)
            try state.file("thing").replace(with: [1])
            exit(EXIT_SUCCESS)
        }
        #expect(directory.mode("thing") == 0o600)
    }

    @Test func `a file that others may read is closed to them, and that is said`() throws {
        let state = try directory.state()
        directory.write([1], to: "state/thing", mode: 0o644)
        #expect(try state.file("thing").read(atMost: 10) == [1])
        #expect(directory.mode("state/thing") == 0o600)
        #expect(directory.reports.count == 1)
    }

    @Test func `a link, a directory or a pipe in the place of a file is an error, not a wait`() throws {
        let state = try directory.state()
        symlink("/etc/passwd", state.path + "/link")
        mkdir(state.path + "/directory", 0o700)
        mkfifo(state.path + "/pipe", 0o600)
        for name in ["link", "directory", "pipe"] {
            let error = #expect(throws: TransportError.self) { try state.file(name).read(atMost: 10) }
            #expect(error?.message.contains("/\(name)") == true)
        }
    }

    @Test func `what a killed writer left behind is used up, and a link there isn't followed`() throws {
        let state = try directory.state()
        directory.write([9, 9, 9], to: "victim")
        symlink(directory.path + "/victim", state.path + "/thing.new")
        try state.file("thing").replace(with: [1, 2])
        #expect(directory.bytes("victim") == [9, 9, 9])
        #expect(directory.names() == ["thing"])
    }

    // MARK: The lock

    @Test func `a lock is held by one, and free when its holder goes`() throws {
        let path = directory.path + "/lock"
        do {
            let held = try FileLock(path)
            let error = #expect(throws: TransportError.self) { _ = try FileLock(path, patienceMilliseconds: 20) }
            #expect(error?.code == .busy)
            _ = consume held
        }
        // Not at once: a process that another test starts holds a copy of the descriptor until it has begun.
        _ = try FileLock(path)
        #expect(directory.mode("lock") == 0o600)
    }

    @Test func `a lock whose holder was killed is free`() async throws {
        let path = directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let held = try FileLock(path + "/lock")
            kill(getpid(), SIGKILL)
            _ = consume held
        }
        _ = try FileLock(path + "/lock")
    }

    @Test func `a lock file that was deleted doesn't let two in`() throws {
        let path = directory.path + "/lock"
        let first = try FileLock(path)
        unlink(path)
        let second = try FileLock(path)
        // The newcomers' lock is the one that counts; the first holder has lost it with its file.
        #expect(throws: TransportError.self) { _ = try FileLock(path, patienceMilliseconds: 0) }
        _ = consume first
        _ = consume second
    }
}
