/// What a gadget is made of, as calls of the kernel: small files, folders and links in configfs (configfs.rst), and the
/// mount of a FunctionFS. Tests put a kernel of their own behind it.
///
/// Every path is absolute. Any thread.
protocol GadgetSystem: Sendable {
    /// The content of a small file without the white space around it; nil when it cannot be read.
    func text(_ path: String) -> String?
    /// The names in a folder, sorted; none when it cannot be read.
    func names(in folder: String) -> [String]
    func exists(_ path: String) -> Bool
    /// Who owns a file or folder; nil when there is none.
    func owner(of path: String) -> UInt32?
    /// Whether this user may read and write a file or folder that is there (access(2)).
    func mayUse(_ path: String) -> Bool
    /// Where a symbolic link leads, links in its own path followed; nil when it is none.
    func target(ofLink path: String) -> String?

    /// Writes a file that is there, at once: an attribute of configfs takes one write(2) as one value.
    func write(_ text: String, to path: String) throws(SystemError)
    /// Writes a file of ours that all may read, new or not.
    func keep(_ text: String, at path: String) throws(SystemError)
    func removeFile(_ path: String) throws(SystemError)
    func makeFolder(_ path: String) throws(SystemError)
    func removeFolder(_ path: String) throws(SystemError)
    func link(_ path: String, to target: String) throws(SystemError)
    /// Only of the file or folder itself.
    func give(_ path: String, to user: UInt32, group: UInt32) throws(SystemError)

    func mount(_ source: String, at folder: String, type: String, options: String) throws(SystemError)
    /// Takes the mount out of the tree of files at once; it ends with the last program that has a file of it open.
    func unmount(_ folder: String) throws(SystemError)
    /// modprobe(8): whether the module is there now.
    func loadModule(_ name: String) -> Bool
}

/// A call that the kernel refused: its `errno`.
struct SystemError: Error, Hashable {
    let number: Int32
}
