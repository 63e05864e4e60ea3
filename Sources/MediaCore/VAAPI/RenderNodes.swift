internal import Glibc

/// The GPUs' nodes for work that shows nothing: `/dev/dri/renderD128` and on. VA-API drivers are reached by them.
package struct RenderNodes: Sendable {
    private let folder: String
    private let mayOpen: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - folder: Where they are; tests have another.
    ///   - mayOpen: Whether this user may open one.
    package init(
        folder: String = "/dev/dri", mayOpen: @escaping @Sendable (String) -> Bool = { access($0, R_OK | W_OK) == 0 }
    ) {
        (self.folder, self.mayOpen) = (folder, mayOpen)
    }

    /// Whether there is one, whoever may open it.
    package var areThere: Bool { !paths.isEmpty }

    /// The first that may be opened: of a laptop's two GPUs one may be reserved.
    ///
    /// - Throws: ``MediaError`` `.unsupported` that says what is missing: a node, or the right to open it.
    package func usable() throws(MediaError) -> String {
        guard let first = paths.first else {
            throw MediaError(
                .unsupported, "there is no \(folder)/renderD128: no GPU, or none that the kernel has a driver for")
        }
        if let path = paths.first(where: mayOpen) { return path }
        throw MediaError(
            .unsupported,
            "this user may not open \(first); sudo usermod -aG render $USER lets it, from its next login on")
    }

    private var paths: [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var numbers: [Int] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("renderD"), let number = Int(name.dropFirst("renderD".count)) { numbers.append(number) }
        }
        return numbers.sorted().map { "\(folder)/renderD\($0)" }
    }
}
