internal import Glibc

/// Composes the gadget through configfs (gadget_configfs.rst) and takes it apart again: root's part of being a device.
///
/// What is there already and right is left alone, so that both can be done again from any state in between.
package struct GadgetComposition: Sendable {
    /// Whose gadget it is to be.
    package struct Wishes: Hashable, Sendable {
        /// The user who serves it and plugs it in, and that user's group.
        package var user: UInt32
        package var group: UInt32
        /// iSerialNumber: by it a host tells one such device from another. ASCII, 126 bytes at most.
        package var serial: String
        /// A name in `/sys/class/udc`; nil: the first one that no other gadget has, each time it is plugged in.
        package var controller: String?

        package init(user: UInt32, group: UInt32, serial: String, controller: String? = nil) {
            (self.user, self.group, self.serial, self.controller) = (user, group, serial, controller)
        }
    }

    let system: any GadgetSystem
    private let place: USBGadgetPlace
    private let layout = GadgetLayout()

    package init() { self.init(MachineGadgetSystem()) }
    init(_ system: any GadgetSystem) {
        self.system = system
        place = USBGadgetPlace(system)
    }

    /// Makes whatever of it is not there, or not as wished. If it is on a cable and has to be changed, it is off that
    /// for a moment.
    ///
    /// - Returns: The controller that it is bound to, or would be now.
    /// - Throws: `controllerMissing`, `busy`, `noPermission`, or what the kernel lacks; then some of it may be made.
    @discardableResult
    package func setUp(_ wishes: Wishes) throws(TransportError) -> String {
        let controllers = GadgetControllers(system: system)
        // First of all: a PC has none, and then it does not matter what else it lacks.
        guard !controllers.names.isEmpty else { throw GadgetControllers.thereIsNone }
        try findConfigFS()
        let controller = try controllers.choose(wishes.controller)
        let bound = place.boundController
        if bound != nil, isMounted(for: wishes.user) == false { throw Self.served }
        let isRight = layout.parts(wishes).allSatisfy { isThere($0) }
        let isPulledOut = bound != nil && (!isRight || (wishes.controller ?? bound) != bound)
        if isPulledOut { try? system.write("", to: USBGadgetPlace.binding) }
        // A mount of a function that has been taken away is no way to its successor.
        if !system.exists(layout.function) { try unmountAll() }
        for part in layout.parts(wishes) where !isThere(part) { try make(part) }
        try give(wishes)
        try keep(wishes.controller)
        // The last thing: a program that waits for it plugs it in at once.
        try mount(wishes)
        if isPulledOut { try plugInAgain() }
        return place.boundController ?? controller
    }

    private static let served = TransportError(
        .busy,
        "the USB gadget is set up for another user, whose program serves it: end that program, then run this again")

    // MARK: Parts

    private func isThere(_ part: GadgetLayout.Part) -> Bool {
        switch part {
        case .folder(let path): system.exists(path)
        case .value(let text, let path): system.text(path) == text
        case .link(let path, let target): system.target(ofLink: path) == target
        }
    }

    private func make(_ part: GadgetLayout.Part) throws(TransportError) {
        do throws(SystemError) {
            switch part {
            case .folder(let path): try system.makeFolder(path)
            case .value(let text, let path): try system.write(text, to: path)
            case .link(let path, let target):
                if system.exists(path) { try system.removeFile(path) }
                try system.link(path, to: target)
            }
        } catch {
            // The kernel looks for the module `usbfunc:ffs` when the function's folder is made.
            if case .folder(layout.function) = part, error.number == ENOENT { throw Self.noFunctionFS }
            throw failure(error, "can't compose the USB gadget: \(part.path)")
        }
    }

    private static let noFunctionFS = TransportError(
        .gadgetMissing,
        "this kernel has no FunctionFS, by which a program can be a USB device: it needs the module usb_f_fs "
            + "(CONFIG_USB_CONFIGFS_F_FS)")

    private func failure(_ error: SystemError, _ message: String) -> TransportError {
        let isRefused = error.number == EPERM || error.number == EACCES
        return TransportError(errno: error.number, message, advice: isRefused ? "Run this as root, by sudo" : nil)
    }

    private func findConfigFS() throws(TransportError) {
        if system.exists(USBGadgetPlace.gadgets) { return }
        let isLoaded = system.loadModule("libcomposite")
        if system.exists(USBGadgetPlace.gadgets) { return }
        // systemd mounts it, where there is systemd.
        try? system.mount("configfs", at: USBGadgetPlace.configfs, type: "configfs", options: "")
        guard !system.exists(USBGadgetPlace.gadgets) else { return }
        guard isLoaded else {
            throw TransportError(
                .gadgetMissing,
                "this kernel cannot compose USB gadgets: the module libcomposite is not there or was refused. See what "
                    + "'sudo modprobe libcomposite' says; the kernel needs CONFIG_USB_CONFIGFS")
        }
        throw TransportError(
            .gadgetMissing,
            "there is no \(USBGadgetPlace.gadgets): configfs cannot be mounted. See what 'sudo mount -t configfs none "
                + "\(USBGadgetPlace.configfs)' says")
    }

    // MARK: The FunctionFS

    /// Whether the FunctionFS is mounted, and this user's; nil: it is not mounted.
    private func isMounted(for user: UInt32) -> Bool? {
        guard mounts.contains(USBGadgetPlace.directory) else { return nil }
        return system.owner(of: USBGadgetPlace.directory) == user
    }

    /// Where our function is mounted, wherever that is.
    private var mounts: [String] {
        (system.text("/proc/self/mounts") ?? "").split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 2, words[2] == "functionfs" else { return nil }
            return words[0] == USBGadgetPlace.name || words[1] == USBGadgetPlace.directory ? String(words[1]) : nil
        }
    }

    private func unmountAll() throws(TransportError) {
        // One over the other, too.
        for folder in mounts {
            do throws(SystemError) {
                try system.unmount(folder)
            } catch {
                throw failure(error, "can't unmount \(folder)")
            }
        }
    }

    private func mount(_ wishes: Wishes) throws(TransportError) {
        if isMounted(for: wishes.user) == true, mounts.count == 1 { return }
        try unmountAll()
        for folder in [layout.mountParent, USBGadgetPlace.directory] where !system.exists(folder) {
            try make(.folder(folder))
        }
        // For that user alone: whoever can serve it can also be whatever device they like.
        let options = "uid=\(wishes.user),gid=\(wishes.group),rmode=0500,fmode=0600"
        let mount = { () throws(SystemError) in
            try system.mount(
                USBGadgetPlace.name, at: USBGadgetPlace.directory, type: "functionfs", options: options)
        }
        do throws(SystemError) {
            do throws(SystemError) {
                try mount()
            } catch  where error.number == EBUSY {
                // A program that has outlived its mount still has the instance: another one is made.
                try system.removeFile(layout.functionLink)
                try system.removeFolder(layout.function)
                try system.makeFolder(layout.function)
                try system.link(layout.functionLink, to: layout.function)
                try mount()
            }
        } catch {
            if error.number == ENODEV { throw Self.noFunctionFS }
            throw failure(error, "can't mount the FunctionFS at \(USBGadgetPlace.directory)")
        }
    }

    // MARK: Plugging in

    private func give(_ wishes: Wishes) throws(TransportError) {
        guard system.owner(of: USBGadgetPlace.binding) != wishes.user else { return }
        do throws(SystemError) {
            try system.give(USBGadgetPlace.binding, to: wishes.user, group: wishes.group)
        } catch {
            throw failure(error, "can't give \(USBGadgetPlace.binding) to the user")
        }
    }

    private func keep(_ controller: String?) throws(TransportError) {
        guard system.text(USBGadgetPlace.choice) != controller else { return }
        do throws(SystemError) {
            if let controller {
                try system.keep(controller, at: USBGadgetPlace.choice)
            } else {
                try system.removeFile(USBGadgetPlace.choice)
            }
        } catch {
            throw failure(error, "can't write \(USBGadgetPlace.choice)")
        }
    }

    private func plugInAgain() throws(TransportError) {
        do throws(TransportError) {
            try place.plugIn()
        } catch  where error.code == .gadgetMissing {
            // Who served it has ended meanwhile: the next one plugs it in.
        }
    }
}

// MARK: - Taking it apart

extension GadgetComposition {
    /// Takes the gadget off the cable and away, whatever of it is there; a program that serves it is left with nothing.
    ///
    /// - Returns: Whether there was anything.
    package func remove() throws(TransportError) -> Bool {
        var isAny = false
        if system.exists(USBGadgetPlace.gadget) {
            isAny = true
            // ENODEV: it is on no cable.
            try? system.write("", to: USBGadgetPlace.binding)
            try removeLinks(in: layout.osDescriptors)
            for configuration in system.names(in: layout.configurations) {
                let path = layout.configurations + "/" + configuration
                try removeLinks(in: path)
                try removeFolders(in: path + "/strings")
                try removeFolder(path)
            }
        }
        isAny = try unmountForGood() || isAny
        if system.exists(USBGadgetPlace.gadget) {
            try removeFolders(in: layout.functions)
            try removeFolders(in: layout.strings)
            try removeFolder(USBGadgetPlace.gadget)
        }
        if system.exists(USBGadgetPlace.choice) { try keep(nil) }
        return isAny
    }

    private func unmountForGood() throws(TransportError) -> Bool {
        let isThere = !mounts.isEmpty || system.exists(USBGadgetPlace.directory)
        try unmountAll()
        if system.exists(USBGadgetPlace.directory) { try removeFolder(USBGadgetPlace.directory) }
        // Somebody else's FunctionFS may be in it.
        try? system.removeFolder(layout.mountParent)
        return isThere
    }

    private func removeLinks(in folder: String) throws(TransportError) {
        for name in system.names(in: folder) {
            let path = folder + "/" + name
            guard system.target(ofLink: path) != nil else { continue }
            do throws(SystemError) { try system.removeFile(path) } catch {
                throw failure(error, "can't take the USB gadget apart: \(path)")
            }
        }
    }

    private func removeFolders(in folder: String) throws(TransportError) {
        for name in system.names(in: folder) { try removeFolder(folder + "/" + name) }
    }

    private func removeFolder(_ path: String) throws(TransportError) {
        do throws(SystemError) {
            try system.removeFolder(path)
        } catch  where error.number == ENOENT {
            // Somebody else does the same.
        } catch {
            throw failure(error, "can't take the USB gadget apart: \(path)")
        }
    }
}
