import CLinuxShims
import CamoTypes
import Confinement
import DeviceCore
import MediaCore
import Testing

@testable import ProducerKit

/// The kernel's encoder interface, from pictures to access units that decode.
@Suite struct V4L2EncoderTests {
    private let settings = VideoEncoderSettings(size: PixelSize(width: 320, height: 180), bitsPerSecond: 1_000_000)

    private func machine(_ set: (inout FakeEncoderNode.Manners) -> Void = { _ in }) -> EncoderMachine {
        var machine = EncoderMachine()
        set(&machine.manners)
        return machine
    }

    /// What a trial says; nil: nothing is wrong.
    private func trial(_ machine: EncoderMachine) -> String? {
        do throws(MediaError) {
            // Its time stands still: how fast a fake one is says nothing.
            try EncoderTrial.run(V4L2Encoder.kind(nodes: machine), settings, clock: ManualClock())
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        (true, shim_V4L2_PIX_FMT_YUV420, 1), (true, shim_V4L2_PIX_FMT_YUV420M, 1), (true, shim_V4L2_PIX_FMT_NV12, 16),
        (true, shim_V4L2_PIX_FMT_NV12M, 32), (false, shim_V4L2_PIX_FMT_YUV420, 16), (false, shim_V4L2_PIX_FMT_NV12, 1),
    ])
    func `pictures go in as the driver lays them out, and pass the trial`(
        isMultiPlanar: Bool, code: UInt32, alignment: Int
    ) throws {
        let machine = machine { manners in
            manners.isMultiPlanar = isMultiPlanar
            manners.rawFormats = [code]
            manners.alignment = alignment
        }
        let complaint = trial(machine)
        #expect(complaint == nil)
        let log = machine.log.withLock { $0 }
        #expect(log.forcedKeyframes == 2)
        #expect(log.mapped > 0 && log.unmapped == log.mapped && log.openNodes == 0)
    }

    @Test func `colours arrive where they were`() throws {
        for code in [shim_V4L2_PIX_FMT_YUV420, shim_V4L2_PIX_FMT_NV12] {
            let machine = machine { $0.rawFormats = [code] }
            let encoder = try V4L2Encoder.kind(nodes: machine).open(settings)
            let size = settings.size
            let (luma, chroma) = (size.area, size.area / 4)
            let bytes =
                [UInt8](repeating: 100, count: luma) + [UInt8](repeating: 60, count: chroma)
                + [UInt8](repeating: 200, count: chroma)
            let picture = try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) }
            let unit = try encoder.encode(picture, at: .at(0), isKeyframe: true)
            guard case .picture(let decoded) = try H264Decoder().decode(unit) else {
                Issue.record("it cannot be decoded")
                continue
            }
            let centre = decoded.withPlanes { planes in planes.map { Int($0.bytes[$0.stride * 40 + 40]) } }
            #expect(zip(centre, [100, 60, 200]).allSatisfy { abs($0 - $1) <= 4 }, "\(centre)")
        }
    }

    @Test func `parameter sets that come by themselves stand before every keyframe`() throws {
        let machine = machine { $0.sendsHeadersApart = true }
        let complaint = trial(machine)
        #expect(complaint == nil)
    }

    @Test func `the rate is told while it runs`() throws {
        let machine = machine()
        let encoder = try V4L2Encoder.kind(nodes: machine).open(settings)
        try encoder.setBitRate(500_000, bufferBits: 125_000)
        #expect(machine.log.withLock { $0.bitRates } == [1_000_000, 500_000])
    }

    @Test func `a driver that gives nothing is given up`() throws {
        let complaint = try #require(trial(machine { $0.isDead = true }))
        #expect(complaint.contains("/dev/video11") && complaint.contains("gave nothing"))
    }

    @Test func `layouts that are not understood are named`() throws {
        let complaint = try #require(trial(machine { $0.rawFormats = [shim_V4L2_PIX_FMT_YUYV] }))
        #expect(complaint.contains("YUYV"))
    }

    @Test func `an encoder that makes something else is named with what it makes`() throws {
        let code = try #require(EncoderNode.code("FWHT"))
        let complaint = try #require(trial(machine { $0.codedFormats = [code] }))
        #expect(complaint.hasSuffix("that this user may open; /dev/video11 () makes FWHT"))
        #expect(!V4L2Encoder.kind(nodes: machine { $0.codedFormats = [] }).isPresent())
    }

    @Test func `a machine without one says so`() {
        struct None: VideoNodes {
            func paths() -> [String] { [] }
            func attribute(_ name: String, of path: String) -> String? { nil }
            func open(_ path: String) throws(DeviceError) -> any VideoNode {
                throw DeviceError(.notFound, device: path, "there is none")
            }
        }
        #expect { try V4L2Encoder.kind(nodes: None()).open(settings) } throws: { "\($0)".contains("no V4L2 encoder") }
    }
}
