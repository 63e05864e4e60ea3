internal import Glibc

/// The one owner of an open file descriptor; closes it when it goes.
package struct FileDescriptor: ~Copyable, Sendable {
    package let number: Int32

    /// Takes over `number`, which must be open and owned by nobody else.
    package init(adopting number: Int32) { self.number = number }

    // close(2) is not repeated after EINTR: Linux has released the number by then, and another thread may hold it.
    deinit { close(number) }
}
