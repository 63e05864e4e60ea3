internal import TransportCore
internal import WireProtocol

/// Cameras and controls, as studios see and use them.
extension ProducerService {
    /// What the endpoint tells studios, where remote control is allowed.
    func camerasDidChange(from old: CameraDesk.Known, to new: CameraDesk.Known) {
        guard allowsRemoteControl, let endpoint = endpoint.withLock({ $0 }) else { return }
        if old.cameras != new.cameras || old.selected != new.selected { endpoint.tell(Cameras(new)) }
        // Another camera, or other controls than before: all of them. Else those that differ.
        guard old.selected == new.selected, old.controls.map(\.id) == new.controls.map(\.id),
            zip(old.controls, new.controls).allSatisfy({ $0.isSame(butForStateAs: $1) })
        else { return endpoint.tell(Controls(new)) }
        for (before, after) in zip(old.controls, new.controls) where before != after {
            endpoint.tell(
                ControlChanged(control: after.id, value: after.value, isInactive: after.isInactive),
                in: Controls(new))
        }
    }

    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, asksFor request: CameraRequest,
        answer: @escaping @Sendable (RequestResult.Code, String?) -> Void
    ) {
        guard allowsRemoteControl else {
            return answer(.refused, "remote control is switched off at this producer")
        }
        guard let owner, let desk = owner.desk else {
            return answer(.unsupported, "this producer's source is no camera that could be chosen or set")
        }
        // Another camera would be opened to see whether it works.
        guard !owner.isPaused else { return answer(.refused, "the producer is paused") }
        owner.allows(.remoteControl, from: viewer.peer) { isAllowed in
            guard isAllowed else { return answer(.refused, "the producer did not agree") }
            let finish: @Sendable (Result<Void, ProducerError>) -> Void = { result in
                switch result {
                case .success: answer(.ok, nil)
                case .failure(let error): answer(RequestResult.Code(error), error.message)
                }
            }
            switch request {
            case .select(let camera): desk.select(camera, completion: finish)
            case .set(let control, let value): desk.set(control, to: value, completion: finish)
            }
        }
    }
}

extension CameraControl {
    /// The same control, whatever its value is now and whether it can be set.
    fileprivate func isSame(butForStateAs other: CameraControl) -> Bool {
        var other = other
        (other.value, other.isInactive) = (value, isInactive)
        return self == other
    }
}

extension RequestResult.Code {
    init(_ error: ProducerError) {
        self =
            switch error.code {
            case .notFound: .notFound
            case .outOfRange: .outOfRange
            case .notSettable: .unsupported
            case .busy: .busy
            default: .failed
            }
    }
}

extension Cameras {
    init(_ known: CameraDesk.Known) {
        self.init(
            cameras: known.cameras.prefix(Limits.cameraCount).map { Camera(id: $0.id, name: $0.name) },
            selected: known.selected)
    }
}

extension Controls {
    init(_ known: CameraDesk.Known) {
        self.init(
            camera: known.selected, controls: known.controls.prefix(Limits.controlCount).map(Control.init))
        // A driver that claims endless menus does not get to break the protocol.
        while !controls.isEmpty, ControlMessage.controls(self).encoded().count > Limits.controlByteCount {
            controls.removeLast()
        }
    }
}

extension Controls.Control {
    init(_ control: CameraControl) {
        self.init(
            id: control.id, name: control.name, kind: Kind(rawValue: control.kind.rawValue),
            minimum: control.range.lowerBound, maximum: control.range.upperBound, step: control.step,
            defaultValue: control.defaultValue, value: control.value,
            menu: control.menu.prefix(Limits.menuItemCount).map { MenuItem(value: $0.value, name: $0.name) },
            isInactive: control.isInactive, isReadOnly: control.isReadOnly)
    }
}
