/// What the kernel says on ep0 (`usb_functionfs_event`): 12 bytes each.
enum FunctionFSEvent: Hashable {
    case bind
    case unbind
    /// The host has chosen our configuration: the endpoints can be used.
    case enable
    /// The host has gone or reset the device: they can't.
    case disable
    /// A request that wants an answer. Ours has none: it is stalled.
    case setup(isToHost: Bool)
    case suspend
    case resume

    static let byteCount = 12

    /// Nil for what this kernel can say and we don't know.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount else { return nil }
        switch bytes[8] {
        case 0: self = .bind
        case 1: self = .unbind
        case 2: self = .enable
        case 3: self = .disable
        // bmRequestType, USB 2.0, 9.3.1.
        case 4: self = .setup(isToHost: bytes[0] & 0x80 != 0)
        case 5: self = .suspend
        case 6: self = .resume
        default: return nil
        }
    }
}
