internal import CAvahi

/// Lends `record` as an AvahiStringList.
func withStringList<R>(_ record: TextRecord, _ body: (UnsafeMutablePointer<AvahiStringList>?) -> R) -> R {
    var list: UnsafeMutablePointer<AvahiStringList>?
    // Each is put in front of the list.
    for string in record.strings.reversed() {
        list = avahi_string_list_add_arbitrary(list, string, string.count)
    }
    defer { avahi_string_list_free(list) }
    return body(list)
}

extension TextRecord {
    /// A copy of what a resolver found.
    init(_ list: UnsafeMutablePointer<AvahiStringList>?) {
        var strings: [[UInt8]] = []
        var next = list
        while let node = next, strings.count < Self.maximumEntryCount {
            let bytes = UnsafeBufferPointer(
                start: avahi_string_list_get_text(node), count: avahi_string_list_get_size(node))
            strings.append(Array(bytes))
            next = avahi_string_list_get_next(node)
        }
        self.init(strings: strings)
    }
}
