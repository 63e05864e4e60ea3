import Glibc

/// What a file descriptor is, as far as talking to people through it goes.
package struct Terminal: Sendable {
    package let descriptor: Int32

    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    package static let standardInput = Terminal(STDIN_FILENO)
    package static let standardOutput = Terminal(STDOUT_FILENO)
    package static let standardError = Terminal(STDERR_FILENO)

    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Columns and rows, 80 and 24 where unknown (TIOCGWINSZ, ioctl_tty(2)).
    package var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
