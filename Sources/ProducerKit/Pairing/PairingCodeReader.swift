internal import Confinement
internal import DeviceCore
internal import MediaCore
internal import WireProtocol

/// Reads the pairing code that a studio shows, from a picture or with a camera. Other QR codes in view are passed over.
///
/// Whose code it is is not proven by its being seen: ask (``ProducerController/studio(inCode:)``) before
/// ``ProducerController/pairStudioWithQRCodeData(_:)``.
public struct PairingCodeReader: Sendable {
    private let machine: any CameraMachine

    public init() { self.init(machine: SystemCameras()) }

    init(machine: any CameraMachine) { self.machine = machine }

    /// The code in a picture file: PNG, JPEG, WebP or BMP.
    ///
    /// - Throws: ``ProducerPairingError`` `.invalidCode`: there is none in it, or several; ``ProducerError``: the file
    ///   cannot be read.
    public func code(inImage path: String) throws -> String {
        let texts: Set<String>
        do throws(MediaError) {
            texts = try QRReader().texts(in: StillPicture.read(path))
        } catch {
            throw ProducerError(error)
        }
        guard let code = try Self.code(among: texts) else {
            let others = texts.isEmpty ? "" : ", only a QR code of something else"
            throw ProducerPairingError.invalidCode("\(path): there is no pairing code in this picture\(others)")
        }
        return code
    }

    /// The code that comes into view of a camera within a minute. The camera is closed again when this returns.
    ///
    /// - Parameters:
    ///   - camera: A device node, a lasting ID or a name; nil: the first.
    ///   - onStart: Told the camera's name before it is opened; on any thread.
    /// - Throws: ``ProducerPairingError``: several codes are in view, none came in time, or the task was cancelled;
    ///   ``ProducerError``: the camera cannot be used.
    public func code(
        seenBy camera: String?, onStart: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> String {
        let search = PairingCodeSearch(machine: machine, clock: SystemClock())
        let machine = machine
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do throws(ThreadError) {
                    try DetachedThread("pairing code") {
                        continuation.resume(with: Result { try Self.look(search, camera, machine, onStart) })
                    }
                } catch {
                    continuation.resume(
                        throwing: ProducerError(.unavailable, "this computer has no thread left to look for a code"))
                }
            }
        } onCancel: {
            search.cancel()
        }
    }

    private static func look(
        _ search: PairingCodeSearch, _ camera: String?, _ machine: any CameraMachine,
        _ onStart: @Sendable (String) -> Void
    ) throws -> String {
        let device: VideoDevice
        do throws(DeviceError) {
            device = try machine.find(camera)
        } catch {
            throw ProducerError(error)
        }
        onStart(device.name)
        return try search.find(with: device)
    }

    /// The pairing code among the texts of one picture; nil: there is none.
    ///
    /// - Throws: There are several: which of them is meant nobody can know.
    static func code(among texts: Set<String>) throws(ProducerPairingError) -> String? {
        let codes = texts.filter { $0.hasPrefix(PairingCode.start) }
        guard codes.count <= 1 else {
            throw .invalidCode("\(codes.count) different pairing codes are in view: show one alone")
        }
        return codes.first
    }
}
