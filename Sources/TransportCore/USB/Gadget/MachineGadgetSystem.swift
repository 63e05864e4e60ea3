internal import Glibc

/// This machine's kernel.
struct MachineGadgetSystem: GadgetSystem {
    func text(_ path: String) -> String? {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let file = FileDescriptor(adopting: number)
        // One read gives an attribute whole (sysfs.rst: at most a page); the table of mounts takes several.
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < 1 << 20 {
            let count = read(file.number, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        let text = bytes.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed()
        return String(decoding: Array(text), as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

    func names(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    func owner(of path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_uid : nil
    }

    func mayUse(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 }

    func target(ofLink path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let real = realpath(path, nil) else {
            return nil
        }
        defer { free(real) }
        return String(cString: real)
    }

    func write(_ text: String, to path: String) throws(SystemError) {
        try write(text, path, O_WRONLY | O_CLOEXEC)
    }

    func keep(_ text: String, at path: String) throws(SystemError) {
        try write(text, path, O_WRONLY | O_CLOEXEC | O_CREAT | O_TRUNC | O_NOFOLLOW)
        try check(chmod(path, 0o644))
    }

    private func write(_ text: String, _ path: String, _ flags: Int32) throws(SystemError) {
        let number = open(path, flags, 0o644)
        guard number >= 0 else { throw SystemError(number: errno) }
        let file = FileDescriptor(adopting: number)
        let bytes = Array((text + "\n").utf8)
        guard Glibc.write(file.number, bytes, bytes.count) == bytes.count else { throw SystemError(number: errno) }
    }

    func removeFile(_ path: String) throws(SystemError) { try check(unlink(path)) }
    func makeFolder(_ path: String) throws(SystemError) { try check(mkdir(path, 0o755)) }
    func removeFolder(_ path: String) throws(SystemError) { try check(rmdir(path)) }
    func link(_ path: String, to target: String) throws(SystemError) { try check(symlink(target, path)) }
    func give(_ path: String, to user: UInt32, group: UInt32) throws(SystemError) {
        try check(chown(path, user, group))
    }

    func mount(_ source: String, at folder: String, type: String, options: String) throws(SystemError) {
        try check(Glibc.mount(source, folder, type, UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC), options))
    }

    func unmount(_ folder: String) throws(SystemError) { try check(umount2(folder, Int32(MNT_DETACH))) }

    private func check(_ result: Int32) throws(SystemError) {
        guard result == 0 else { throw SystemError(number: errno) }
    }

    func loadModule(_ name: String) -> Bool {
        // Not found by PATH: this runs as root.
        for program in ["/sbin/modprobe", "/usr/sbin/modprobe"] where access(program, X_OK) == 0 {
            return run([program, "-q", name])
        }
        return false
    }

    private func run(_ words: [String]) -> Bool {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard posix_spawn(&process, words[0], nil, nil, &arguments, environ) == 0 else { return false }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return false }
        }
        return status == 0
    }
}
