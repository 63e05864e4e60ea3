import CamoTypes
import Glibc
import Testing

@testable import TransportCore

@Suite struct StateInspectionTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path + "/state" }

    init() { folder = TemporaryDirectory() }

    private func inspect() throws -> StateInspection {
        try StateInspection.inspect(chosen: path, program: "camo-studio")
    }

    @Test func `what is not there is absent, and stays so`() throws {
        let inspection = try inspect()
        #expect(inspection.directoryMode == nil)
        #expect(inspection.identity == .absent && inspection.devices == .absent)
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a directory in use is found as it is`() throws {
        let directory = try StateDirectory(chosen: path, program: "camo-studio", report: { _ in })
        let identity = try Identity.loadOrCreate(in: directory)
        try PairedDeviceStore(in: directory).add(
            PairedDevice(id: identity.id, name: "Porch", role: .producer, pairedAtMilliseconds: 0))
        let inspection = try inspect()
        #expect(inspection.directoryMode == 0o700 && inspection.isOwn)
        #expect(inspection.identity == .good && inspection.devices == .good)
        #expect(inspection.pairedCount == 1)
        #expect(inspection.files.map(\.mode) == [0o600, 0o600])
    }

    @Test func `what is wrong is said and not mended`() throws {
        mkdir(path, 0o755)
        for name in ["identity.pem", "paired-devices.json"] {
            let file = open("\(path)/\(name)", O_WRONLY | O_CREAT, 0o644)
            write(file, "rubbish", 7)
            close(file)
            chmod("\(path)/\(name)", 0o644)
        }
        let inspection = try inspect()
        #expect(inspection.identity == .bad("\(path)/identity.pem does not hold a P-256 key and its certificate"))
        #expect(inspection.devices == .bad("\(path)/paired-devices.json is damaged"))
        #expect(inspection.files.map(\.mode) == [0o644, 0o644])
        var status = stat()
        stat(path + "/identity.pem", &status)
        #expect(status.st_mode & 0o777 == 0o644)
    }
}
