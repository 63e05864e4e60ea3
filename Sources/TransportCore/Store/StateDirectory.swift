internal import Glibc

/// Where an installation keeps its key and its paired devices: private to its user.
///
/// `--state-dir`, else `$XDG_STATE_HOME/PROGRAM`, else `$HOME/.local/state/PROGRAM`, else the same in the home
/// directory of the user's passwd entry (XDG Base Directory Specification 0.8).
package struct StateDirectory: Sendable {
    /// Absolute.
    package let path: String
    /// Told, in one line each, what was put right or needs somebody's attention. Any thread.
    package let report: @Sendable (String) -> Void

    /// Where its user and its environment come from. Injected for tests.
    package struct Surroundings: Sendable {
        package var variable: @Sendable (String) -> String?
        package var homeInPasswd: @Sendable () -> String?

        package init(
            variable: @escaping @Sendable (String) -> String?, homeInPasswd: @escaping @Sendable () -> String?
        ) {
            self.variable = variable
            self.homeInPasswd = homeInPasswd
        }

        package static let ofThisProcess = Surroundings(
            variable: { name in getenv(name).map { String(cString: $0) } },
            homeInPasswd: { passwdEntryHome(of: getuid()) })
    }

    /// Finds the directory, and makes it if need be.
    ///
    /// - Parameters:
    ///   - chosen: What the user asked for (`--state-dir`), absolute or relative.
    ///   - program: `camo-producer` or `camo-studio`: each has its own key and its own devices.
    package init(
        chosen: String?, program: String, surroundings: Surroundings = .ofThisProcess,
        report: @escaping @Sendable (String) -> Void
    ) throws(TransportError) {
        path = try Self.location(chosen: chosen, program: program, surroundings: surroundings)
        self.report = report
        try create(isStandard: chosen == nil)
    }

    /// Where it is, or would be: absolute. Nothing is made.
    static func location(
        chosen: String?, program: String, surroundings: Surroundings
    ) throws(TransportError) -> String {
        guard let chosen else { return try standard(surroundings) + "/" + program }
        guard !chosen.isEmpty else {
            throw TransportError(.noStateDirectory, "--state-dir is empty: name a directory")
        }
        // So that a program that changes its directory keeps its state.
        return try absolute(chosen)
    }

    /// The directory's lock: who writes into it holds it.
    func lock(patienceMilliseconds: Int = FileLock.patienceMilliseconds) throws(TransportError) -> FileLock {
        try FileLock(path + "/lock", patienceMilliseconds: patienceMilliseconds)
    }

    func file(_ name: String) -> StateFile { StateFile(path: path + "/" + name, report: report) }

    // MARK: Where

    private static func standard(_ surroundings: Surroundings) throws(TransportError) -> String {
        // Relative values are to be ignored, says the specification; and state in the root directory is nobody's.
        func usable(_ path: String?) -> String? {
            guard let path, path.hasPrefix("/"), path.contains(where: { $0 != "/" }) else { return nil }
            return path
        }
        if let state = usable(surroundings.variable("XDG_STATE_HOME")) { return state }
        if let home = usable(surroundings.variable("HOME")) { return home + "/.local/state" }
        if let home = usable(surroundings.homeInPasswd()) { return home + "/.local/state" }
        throw TransportError(
            .noStateDirectory,
            "no place to keep the key of this installation: neither XDG_STATE_HOME nor HOME is set, and the user has "
                + "no home directory. Name a directory with --state-dir")
    }

    private static func absolute(_ path: String) throws(TransportError) -> String {
        if path.hasPrefix("/") { return path }
        guard let here = getcwd(nil, 0) else {
            throw TransportError(
                errno: errno, "can't find --state-dir \(path)", code: .noStateDirectory,
                advice: "Name it with its whole path")
        }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }

    // MARK: Making and mending

    private func create(isStandard: Bool) throws(TransportError) {
        let isNew = try Self.makeDirectory(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.failure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw TransportError(
                .noStateDirectory, "the state directory \(path) is not a directory. Choose another with --state-dir")
        }
        if status.st_uid != geteuid() {
            report("the state directory \(path) belongs to another user, who can read and replace your key")
        }
        guard !isNew, status.st_mode & 0o077 != 0 else { return }
        if isStandard {
            let isMended = chmod(path, 0o700) == 0
            report("\(path) was open to others; \(isMended ? "closed to them" : "run: chmod 700 \(path)")")
        } else if status.st_mode & 0o022 != 0 {
            // The user's own choice, which may be shared or not ours: not changed behind anyone's back. The files in
            // it are private in any case.
            report("others may write to the state directory \(path), and so replace your key. Run: chmod 700 \(path)")
        }
    }

    /// Makes a directory and those it is in, private. True if it wasn't there.
    private static func makeDirectory(_ path: String) throws(TransportError) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        switch errno {
        case EEXIST: return false
        case ENOENT where path.parentDirectory != path:
            _ = try makeDirectory(path.parentDirectory)
            if mkdir(path, 0o700) == 0 { return true }
            // Another process was faster.
            if errno == EEXIST { return false }
            throw failure(path, errno)
        default: throw failure(path, errno)
        }
    }

    private static func failure(_ path: String, _ number: Int32) -> TransportError {
        TransportError(
            errno: number, "can't make the state directory \(path)", advice: "Choose another with --state-dir")
    }
}

/// The home directory in the password database; nil if the user isn't in it.
private func passwdEntryHome(of user: uid_t) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard let start = buffer.baseAddress,
            getpwuid_r(user, &entry, start, buffer.count, &found) == 0, let found, let name = found.pointee.pw_dir
        else { return nil }
        return String(cString: name)
    }
}
