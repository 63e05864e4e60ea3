import Confinement
import Glibc

@testable import TransportCore

/// A kernel with configfs, device controllers and FunctionFS in memory, with the rules that composing a gadget meets:
/// gadget_configfs.rst, configfs.c, f_fs.c and udc/core.c of Linux 6.1.
final class FakeGadgetKernel: GadgetSystem {
    enum Node: Equatable {
        /// Made by the kernel: only the kernel takes it away.
        case part
        case folder
        case file(String)
        case link(String)
    }

    struct Mount: Equatable {
        var source: String
        var folder: String
        var type: String
        var owner: UInt32
    }

    struct State {
        var nodes: [String: Node] = [:]
        var owners: [String: UInt32] = [:]
        var mounts: [Mount] = []
        /// Instances of FunctionFS that cannot be mounted a second time, among them those of programs that outlive it.
        var taken: Set<String> = []
        /// A program has written the descriptors of the instance.
        var isServed = false
        var hasModule = true
        /// Who looks.
        var user: UInt32 = 0
        var modulesLoaded: [String] = []
        /// What changed anything, in order.
        var calls: [String] = []
        /// Fails this call, as it stands in `calls`, once.
        var failure: (call: String, number: Int32)?
    }

    let state: Locked<State>

    private static let gadgets = "/sys/kernel/config/usb_gadget"

    init(_ controllers: [String] = ["fe980000.usb"], hasModule: Bool = true) {
        var first = State()
        first.hasModule = hasModule
        for folder in ["/sys/class/udc", "/sys/kernel/config", "/run", "/dev", "/proc"] { first.nodes[folder] = .part }
        for controller in controllers {
            first.nodes["/sys/class/udc/\(controller)"] = .part
            first.nodes["/sys/class/udc/\(controller)/function"] = .file("")
        }
        first.nodes["/proc/self/mounts"] = .file("")
        state = Locked(first)
    }

    // MARK: What tests do

    /// A program opens ep0 and writes the descriptors.
    func serve() { state.withLock { $0.isServed = true } }

    /// The program ends: the kernel takes the gadget off the cable.
    func endServing() {
        state.withLock { state in
            state.isServed = false
            if !state.mounts.contains(where: { $0.type == "functionfs" }) { state.taken = [] }
            Self.unbind(Self.gadgets + "/camo", &state)
        }
    }

    /// Another gadget, bound to that controller.
    func composeOther(_ name: String, _ controller: String) {
        state.withLock { state in
            state.nodes[Self.gadgets] = .part
            state.nodes["\(Self.gadgets)/\(name)"] = .folder
            state.nodes["\(Self.gadgets)/\(name)/UDC"] = .file(controller)
            state.nodes["/sys/class/udc/\(controller)/function"] = .file("configfs-gadget")
        }
    }

    /// A gadget that is a module of its own.
    func loadLegacyGadget(_ name: String, _ controller: String) {
        state.withLock { $0.nodes["/sys/class/udc/\(controller)/function"] = .file(name) }
    }

    func fail(_ call: String, _ number: Int32) { state.withLock { $0.failure = (call, number) } }

    var calls: [String] { state.withLock { $0.calls } }
    func forgetCalls() { state.withLock { $0.calls = [] } }

    /// Everything but what was there before anything was composed.
    var leftOver: [String] {
        state.withLock { state in
            state.nodes.keys.filter { path in
                ["\(Self.gadgets)/", "/dev/", "/run/"].contains { path.hasPrefix($0) }
            }.sorted() + state.mounts.filter { $0.type == "functionfs" }.map(\.folder)
        }
    }

    func contents(_ path: String) -> String? { text(path) }

    // MARK: GadgetSystem

    func text(_ path: String) -> String? {
        state.withLock { state in
            if path == "/proc/self/mounts" {
                return state.mounts.map { "\($0.source) \($0.folder) \($0.type) rw 0 0" }.joined(separator: "\n")
            }
            guard case .file(let text) = state.nodes[path] else { return nil }
            return text
        }
    }

    func names(in folder: String) -> [String] { state.withLock { Self.children(of: folder, $0) } }
    func exists(_ path: String) -> Bool { state.withLock { $0.nodes[path] != nil } }

    func owner(of path: String) -> UInt32? {
        state.withLock { state in
            if let mount = state.mounts.last(where: { $0.folder == path }) { return mount.owner }
            return state.nodes[path] == nil ? nil : state.owners[path] ?? 0
        }
    }

    func mayUse(_ path: String) -> Bool {
        guard let owner = owner(of: path) ?? owner(of: Self.parent(path)) else { return false }
        return state.withLock { $0.user == 0 || $0.user == owner }
    }

    func target(ofLink path: String) -> String? {
        state.withLock { state in
            guard case .link(let target) = state.nodes[path] else { return nil }
            return target
        }
    }

    func write(_ text: String, to path: String) throws(SystemError) {
        try call("write \(text) \(path)") { state throws(SystemError) in
            guard case .file = state.nodes[path] else { throw SystemError(number: ENOENT) }
            guard path.hasSuffix("/UDC") else {
                state.nodes[path] = .file(text)
                return
            }
            try Self.bind(path, text, &state)
        }
    }

    func keep(_ text: String, at path: String) throws(SystemError) {
        try call("keep \(text) \(path)") { state in state.nodes[path] = .file(text) }
    }

    func removeFile(_ path: String) throws(SystemError) {
        try call("removeFile \(path)") { state throws(SystemError) in
            guard let node = state.nodes[path] else { throw SystemError(number: ENOENT) }
            if case .link = node, path.contains("/configs/") { Self.unbind(Self.gadget(of: path), &state) }
            state.nodes[path] = nil
        }
    }

    func makeFolder(_ path: String) throws(SystemError) {
        try call("makeFolder \(path)") { state throws(SystemError) in
            guard state.nodes[path] == nil else { throw SystemError(number: EEXIST) }
            guard state.nodes[Self.parent(path)] != nil else { throw SystemError(number: ENOENT) }
            state.nodes[path] = .folder
            for (name, node) in Self.parts(of: path) { state.nodes["\(path)/\(name)"] = node }
        }
    }

    func removeFolder(_ path: String) throws(SystemError) {
        try call("removeFolder \(path)") { state throws(SystemError) in
            guard let node = state.nodes[path] else { throw SystemError(number: ENOENT) }
            guard node == .folder else { throw SystemError(number: EPERM) }
            guard !state.mounts.contains(where: { $0.folder == path }) else { throw SystemError(number: EBUSY) }
            // Somebody links to it.
            guard !state.nodes.values.contains(.link(path)) else { throw SystemError(number: EBUSY) }
            let inside = state.nodes.filter { $0.key.hasPrefix(path + "/") }
            let isConfigFS = path.hasPrefix(Self.gadgets)
            guard isConfigFS ? !inside.values.contains(where: Self.isMade) : inside.isEmpty else {
                throw SystemError(number: ENOTEMPTY)
            }
            for name in inside.keys { state.nodes[name] = nil }
            state.nodes[path] = nil
            if path.hasSuffix("/functions/ffs.camo") { state.taken.remove("camo") }
        }
    }

    func link(_ path: String, to target: String) throws(SystemError) {
        try call("link \(path)") { state throws(SystemError) in
            guard state.nodes[path] == nil else { throw SystemError(number: EEXIST) }
            guard state.nodes[target] != nil else { throw SystemError(number: ENOENT) }
            state.nodes[path] = .link(target)
        }
    }

    func give(_ path: String, to user: UInt32, group: UInt32) throws(SystemError) {
        try call("give \(path) \(user):\(group)") { state in state.owners[path] = user }
    }

    func mount(_ source: String, at folder: String, type: String, options: String) throws(SystemError) {
        try call("mount \(type) \(folder) \(options)") { state throws(SystemError) in
            guard state.nodes[folder] != nil else { throw SystemError(number: ENOENT) }
            if type == "functionfs" {
                guard state.nodes["\(Self.gadgets)/camo/functions/ffs.\(source)"] != nil else {
                    throw SystemError(number: ENOENT)
                }
                guard state.taken.insert(source).inserted else { throw SystemError(number: EBUSY) }
            }
            let user = options.split(separator: ",").first { $0.hasPrefix("uid=") }.flatMap { UInt32($0.dropFirst(4)) }
            state.mounts.append(Mount(source: source, folder: folder, type: type, owner: user ?? 0))
            if type == "configfs", state.modulesLoaded.contains("libcomposite") { state.nodes[Self.gadgets] = .part }
        }
    }

    func unmount(_ folder: String) throws(SystemError) {
        try call("unmount \(folder)") { state throws(SystemError) in
            guard let index = state.mounts.lastIndex(where: { $0.folder == folder }) else {
                throw SystemError(number: EINVAL)
            }
            let source = state.mounts.remove(at: index).source
            if !state.isServed { state.taken.remove(source) }
        }
    }

    func loadModule(_ name: String) -> Bool {
        state.withLock { state in
            guard state.hasModule else { return false }
            state.modulesLoaded.append(name)
            if state.mounts.contains(where: { $0.type == "configfs" }) { state.nodes[Self.gadgets] = .part }
            return true
        }
    }

    // MARK: Rules

    private func call(
        _ text: String, _ body: (inout State) throws(SystemError) -> Void
    ) throws(SystemError) {
        let result = state.withLock { state -> Result<Void, SystemError> in
            if let failure = state.failure, text.hasPrefix(failure.call) {
                state.failure = nil
                return .failure(SystemError(number: failure.number))
            }
            state.calls.append(text)
            return Result { () throws(SystemError) in try body(&state) }
        }
        try result.get()
    }

    /// udc/core.c, `usb_gadget_register_driver`; configfs.c, `gadget_dev_desc_UDC_store`.
    private static func bind(_ path: String, _ controller: String, _ state: inout State) throws(SystemError) {
        let isBound = state.nodes[path] != .file("")
        guard !controller.isEmpty else {
            guard isBound else { throw SystemError(number: ENODEV) }
            return unbind(parent(path), &state)
        }
        guard !isBound else { throw SystemError(number: EBUSY) }
        let function = "/sys/class/udc/\(controller)/function"
        guard state.nodes[function] == .file("") else { throw SystemError(number: EBUSY) }
        guard state.nodes["\(parent(path))/configs/c.1/ffs.camo"] != nil else { throw SystemError(number: EINVAL) }
        guard state.isServed else { throw SystemError(number: ENODEV) }
        state.nodes[path] = .file(controller)
        state.nodes[function] = .file("configfs-gadget")
    }

    private static func unbind(_ gadget: String, _ state: inout State) {
        guard case .file(let controller) = state.nodes["\(gadget)/UDC"], !controller.isEmpty else { return }
        state.nodes["\(gadget)/UDC"] = .file("")
        state.nodes["/sys/class/udc/\(controller)/function"] = .file("")
    }

    private static func isMade(_ node: Node) -> Bool {
        switch node {
        case .folder, .link: true
        case .part, .file: false
        }
    }

    /// What the kernel puts into a folder that was made.
    private static func parts(of path: String) -> [String: Node] {
        guard path.hasPrefix(gadgets + "/") else { return [:] }
        let words = path.dropFirst(gadgets.count + 1).split(separator: "/")
        switch (words.count, words.dropFirst().first) {
        case (1, _):
            return [
                "idVendor": .file("0x0000"), "idProduct": .file("0x0000"), "bcdUSB": .file("0x0000"),
                "bcdDevice": .file("0x0601"), "UDC": .file(""), "configs": .part, "functions": .part,
                "strings": .part, "os_desc": .part, "os_desc/use": .file("0"), "os_desc/b_vendor_code": .file("0x00"),
                "os_desc/qw_sign": .file(""),
            ]
        case (3, "strings"): return ["manufacturer": .file(""), "product": .file(""), "serialnumber": .file("")]
        case (3, "configs"): return ["MaxPower": .file("2"), "bmAttributes": .file("0x80"), "strings": .part]
        case (5, "configs"): return ["configuration": .file("")]
        default: return [:]
        }
    }

    private static func children(of folder: String, _ state: State) -> [String] {
        state.nodes.keys.filter { parent($0) == folder }.map { String($0.dropFirst(folder.count + 1)) }.sorted()
    }

    private static func parent(_ path: String) -> String {
        String(path.prefix(path.lastIndex(of: "/").map { path.distance(from: path.startIndex, to: $0) } ?? 0))
    }

    private static func gadget(of path: String) -> String {
        gadgets + "/" + (path.dropFirst(gadgets.count + 1).split(separator: "/").first ?? "")
    }
}
