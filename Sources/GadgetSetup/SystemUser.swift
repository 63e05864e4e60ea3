import Glibc
internal import TransportCore

/// A user of this machine, as the password database has it.
struct SystemUser: Hashable, Sendable {
    var name: String
    var id: uid_t
    var group: gid_t
    var home: String?

    /// Nil: there is no such user.
    static func named(_ name: String) -> SystemUser? { find { getpwnam_r(name, $0, $1, $2, $3) } }
    static func numbered(_ id: uid_t) -> SystemUser? { find { getpwuid_r(id, $0, $1, $2, $3) } }

    private static func find(
        _ search: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) -> SystemUser? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let start = buffer.baseAddress, search(&entry, start, buffer.count, &found) == 0,
                let found = found?.pointee, let name = found.pw_name
            else { return nil }
            return SystemUser(
                name: String(cString: name), id: found.pw_uid, group: found.pw_gid,
                home: found.pw_dir.map { String(cString: $0) })
        }
    }

    /// Does something with that user's rights, if this is root: what is in a user's home is not to be followed, or
    /// made, with root's. On one thread, while no other does anything with files.
    func act<R>(_ body: () throws(TransportError) -> R) throws(TransportError) -> R {
        guard geteuid() == 0, id != 0 else { return try body() }
        defer {
            seteuid(0)
            setegid(0)
        }
        guard setegid(group) == 0, seteuid(id) == 0 else {
            throw TransportError(errno: errno, "can't act as the user \(name)")
        }
        return try body()
    }

    /// The ID that the program has when this user runs it; its key is made if there is none yet.
    ///
    /// - Parameter stateDirectory: Nil: the standard one. What that user's XDG_STATE_HOME would be is not known here.
    func deviceID(
        program: String, stateDirectory: String?, report: @escaping @Sendable (String) -> Void
    ) throws(TransportError) -> String {
        let home = home
        let surroundings =
            id == getuid()
            ? .ofThisProcess : StateDirectory.Surroundings(variable: { _ in nil }, homeInPasswd: { home })
        return try act { () throws(TransportError) in
            let directory = try StateDirectory(
                chosen: stateDirectory, program: program, surroundings: surroundings, report: report)
            return try Identity.loadOrCreate(in: directory).id.short
        }
    }
}
