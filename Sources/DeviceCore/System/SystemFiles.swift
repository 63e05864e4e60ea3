/// The small files in which the kernel says what there is (sysfs, procfs). Tests put a machine of their own behind it.
package protocol SystemFiles: Sendable {
    /// The content of a small file without the white space around it; nil when it cannot be read.
    func text(_ path: String) -> String?
    /// The names in a folder, sorted; none when it cannot be read.
    func names(in folder: String) -> [String]
}

/// Those of this machine.
package struct MachineFiles: SystemFiles {
    package init() {}
    package func text(_ path: String) -> String? { SystemText.content(of: path) }
    package func names(in folder: String) -> [String] { SystemText.entries(of: folder).sorted() }
}
