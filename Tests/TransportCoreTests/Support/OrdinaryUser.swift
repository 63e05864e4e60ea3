import Glibc

/// What an ordinary user may do: root may do everything.
enum OrdinaryUser {
    private static let nobody: UInt32 = 65_534

    /// Gives these files to the user that this process becomes, if it is root.
    static func own(_ paths: [String]) {
        guard getuid() == 0 else { return }
        for path in paths { chown(path, nobody, nobody) }
    }

    /// Gives up root, for good: in an exit test.
    static func become() {
        guard getuid() == 0 else { return }
        guard setgid(nobody) == 0, setuid(nobody) == 0 else { end(3) }
    }

    /// Ends the exit test. Not `exit`: the leak checker of AddressSanitizer may not look into a process that has given
    /// up its rights, and says so with a failure.
    static func end(_ status: Int32 = EXIT_SUCCESS) -> Never { _exit(status) }
}
