import Glibc

/// The process's own argument memory: what every user of the machine can read in /proc/PID/cmdline.
package enum ArgumentMemory {
    /// Overwrites each argument that is `secret`, or ends in `=secret`, with `x`. Before any other thread starts.
    ///
    /// The copies that Swift made are not touched; nobody else sees those.
    package static func wipe(_ secret: String) {
        let count = Int(CommandLine.argc)
        // The first argument is the program's own name.
        wipe(secret, in: UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: count).dropFirst())
    }

    static func wipe(_ secret: String, in arguments: Slice<UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>>) {
        let secret = Array(secret.utf8)
        guard !secret.isEmpty else { return }
        for case let argument? in arguments {
            let count = strlen(argument)
            guard count >= secret.count else { continue }
            let start = count - secret.count
            let tail = UnsafeRawBufferPointer(start: argument + start, count: secret.count)
            guard tail.elementsEqual(secret), start == 0 || argument[start - 1] == CChar(UInt8(ascii: "=")) else {
                continue
            }
            memset(argument + start, 0x78, secret.count)
        }
    }
}
