import CamoTypes
import Confinement
import Dispatch
import Testing

@testable import TransportCore

/// What a program hears of the cables that it asked for, on a machine where no gadget is set up.
@Suite struct USBCablesTests {
    private let folder = TemporaryDirectory()

    private func start(_ role: USBRole) async -> (thrown: TransportError?, told: [TransportError.Code]) {
        let queue = DispatchQueue(label: "test.cables")
        let told = Locked<[TransportError.Code]>([])
        let cables = USBCables(of: .studio, role, directory: folder.path, on: queue, clock: SystemClock()) { event in
            if case .failed(let error) = event { told.withLock { $0.append(error.code) } }
        }
        let thrown = queue.sync { () -> TransportError? in
            do throws(TransportError) { try cables.start() } catch { return error }
            return nil
        }
        await withCheckedContinuation { done in queue.async { cables.stop { done.resume() } } }
        return (thrown, told.withLock { $0 })
    }

    @Test func `who asks for the gadget by name is told that it is not set up`() async {
        let result = await start(.gadget)
        #expect(result.thrown?.code == .gadgetMissing)
        #expect(result.thrown?.message.contains("usb-gadget setup") == true)
    }

    @Test(arguments: [USBRole.auto, .off])
    func `who asks for none is told nothing`(role: USBRole) async {
        let result = await start(role)
        #expect(result.thrown == nil)
        #expect(!result.told.contains(.gadgetMissing))
    }
}
