internal import DeviceCore
internal import MediaCore
internal import TransportCore

extension StudioError {
    init(_ error: DeviceError) {
        let code: Code =
            switch error.code {
            case .notFound, .noSuchControl: .notFound
            case .outOfRange: .outOfRange
            case .permissionDenied: .noPermission
            case .busy: .busy
            case .notACaptureDevice, .notAnOutputDevice, .unsupported, .notSettable: .unsupported
            case .disconnected, .stalled, .failed: .unavailable
            }
        self.init(code, error.description)
    }

    init(_ error: MediaError) {
        let code: Code =
            switch error.code {
            case .unsupported: .unsupported
            case .badData: .badData
            case .notFound, .exists, .io: .cannotWrite
            case .noPermission: .noPermission
            case .noSpace: .diskFull
            case .noMemory, .internal: .system
            }
        self.init(code, error.description)
    }

    init(_ error: TransportError) {
        let code: Code =
            switch error.code {
            case .deviceUnknown, .deviceAmbiguous: .unknownDevice
            case .noPermission: .noPermission
            case .diskFull: .diskFull
            case .busy, .portInUse: .busy
            case .noStateDirectory: .cannotWrite
            case .identityDamaged, .storeDamaged, .addressInvalid: .badData
            case .peerNotTrusted, .refusedByPeer, .applicationProtocolMismatch: .refused
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            case .nameUnknown, .unreachable, .connectionRefused, .connectionLost, .handshakeFailed,
                .gadgetMissing, .controllerMissing:
                .unavailable
            default: .system
            }
        self.init(code, error.message)
    }
}
