internal import Glibc

/// What the kernel lends to all programs of the machine that talk to USB devices, for their transfers
/// (Documentation/admin-guide/kernel-parameters.txt, usbcore.usbfs_memory_mb).
enum USBMemory {
    static let parameter = "/sys/module/usbcore/parameters/usbfs_memory_mb"

    /// There is no memory for a single transfer.
    ///
    /// - Parameters:
    ///   - name: Of the device.
    ///   - parameter: The kernel's file, for tests.
    static func exhausted(_ name: String, parameter: String = parameter) -> TransportError {
        let size = megabytes(parameter).map { "the \($0) MB that" } ?? "what"
        return TransportError(
            .busy,
            "can't use \(name): \(size) the kernel lends to all USB programs together is in use. End another one, or "
                + "have more: `echo \(max(64, 4 * (megabytes(parameter) ?? 0))) | sudo tee \(parameter)`",
            systemError: ENOMEM)
    }

    /// Nil where there is no limit, or none that can be read.
    static func megabytes(_ parameter: String) -> Int? {
        guard let file = fopen(parameter, "re") else { return nil }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 32)
        guard fgets(&text, Int32(text.count), file) != nil else { return nil }
        let count = strtol(text, nil, 10)
        return count > 0 ? count : nil
    }
}
