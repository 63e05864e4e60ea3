import Glibc

/// Who may open a device node and who has it open: what turns EACCES and EBUSY into advice.
package enum NodeAccess {
    /// `it belongs to root:video (0660): …`
    static func permissionHint(_ path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { return "this user may not open it" }
        let owner = name(user: status.st_uid) ?? "\(status.st_uid)"
        let group = name(group: status.st_gid) ?? "\(status.st_gid)"
        let mode = String(status.st_mode & 0o777, radix: 8)
        let facts = "this user may not open it: it belongs to \(owner):\(group) (0\(mode))"
        // Joining the group helps only where the group may read and write, and root's own group is no remedy.
        if status.st_mode & 0o060 == 0o060, status.st_gid != 0 {
            return facts + "; join the group (sudo usermod -aG \(group) \"$USER\", then log in again)"
        }
        return facts + "; give it a group with a udev rule (MODE=\"0660\", GROUP=\"video\" or \"audio\")"
    }

    /// The programs that have the node open, as `name (pid)`, as far as /proc shows them to this user; without this
    /// process.
    package static func holders(of path: String) -> [String] {
        var node = stat()
        guard stat(path, &node) == 0 else { return [] }
        return SystemText.entries(of: "/proc").compactMap { Int32($0) }.sorted().compactMap { process -> String? in
            let folder = "/proc/\(process)"
            guard process != getpid(),
                SystemText.entries(of: folder + "/fd").contains(where: { file in
                    var status = stat()
                    return stat(folder + "/fd/" + file, &status) == 0 && status.st_rdev == node.st_rdev
                        && status.st_mode & S_IFMT == S_IFCHR
                })
            else { return nil }
            return "\(SystemText.content(of: folder + "/comm") ?? "?") (\(process))"
        }
    }

    /// ` by ffmpeg (123)` or nothing.
    static func holderText(_ path: String) -> String {
        let names = holders(of: path)
        return names.isEmpty ? "" : " by " + names.joined(separator: ", ")
    }

    private static func name(user: uid_t) -> String? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let start = buffer.baseAddress,
                getpwuid_r(user, &entry, start, buffer.count, &result) == 0, let result
            else { return nil }
            return String(cString: result.pointee.pw_name)
        }
    }

    private static func name(group: gid_t) -> String? {
        var entry = Glibc.group()
        var result: UnsafeMutablePointer<Glibc.group>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
            guard let start = buffer.baseAddress,
                getgrgid_r(group, &entry, start, buffer.count, &result) == 0, let result
            else { return nil }
            return String(cString: result.pointee.gr_name)
        }
    }
}
