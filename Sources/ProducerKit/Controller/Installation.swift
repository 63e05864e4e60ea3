internal import TransportCore

/// The key and the paired devices of a producer.
final class Installation: Sendable {
    let identity: Identity
    let store: PairedDeviceStore
    let pauseMark: PauseMark
    let directory: StateDirectory
    let shelf: RecordingShelf

    init(
        _ chosen: String?, program: String, report: @escaping @Sendable (String) -> Void
    ) throws(ProducerError) {
        do throws(TransportError) {
            directory = try StateDirectory(chosen: chosen, program: program, report: report)
            identity = try Identity.loadOrCreate(in: directory)
            store = try PairedDeviceStore(in: directory)
            pauseMark = PauseMark(in: directory)
            shelf = RecordingShelf(RecordingIndex(in: directory))
        } catch {
            throw ProducerError(error)
        }
    }
}

extension ProducerError {
    init(_ error: TransportError) {
        let code: Code =
            switch error.code {
            case .portInUse: .portInUse
            case .noPermission: .noPermission
            case .busy: .busy
            case .noStateDirectory, .identityDamaged, .storeDamaged, .diskFull: .stateUnusable
            case .deviceUnknown, .deviceAmbiguous: .notFound
            case .addressInvalid: .invalidArgument
            default: .unavailable
            }
        self.init(code, error.message)
    }
}
