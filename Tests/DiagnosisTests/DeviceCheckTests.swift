import CamoTypes
import DeviceCore
import MediaCore
import Testing

@testable import Diagnosis

@Suite struct DeviceCheckTests {
    private let refusal = DeviceError(
        .permissionDenied, device: "/dev/video0", "this user may not open it: it belongs to root:video (0660)")

    private func view(_ set: (inout MachineView) -> Void) -> MachineView {
        var view = MachineView()
        set(&view)
        return view
    }

    // MARK: Cameras

    @Test func `no camera at all`() {
        let check = DeviceChecks.cameras(view { _ in })
        #expect(check.outcome == .missing)
        #expect(check.text == "there is no /dev/video*")
        #expect(check.remedy?.contains("rpicam-vid") == true)
    }

    @Test func `a camera that this user may not open`() {
        let check = DeviceChecks.cameras(view { ($0.videoNodes, $0.cameraProblems) = (["/dev/video0"], [refusal]) })
        #expect(check.outcome == .missing)
        #expect(check.text.contains("root:video (0660)"))
        #expect(check.remedy == "sudo usermod -aG video \"$USER\", then log in again")
    }

    @Test func `nodes that give no pictures`() {
        let check = DeviceChecks.cameras(view { $0.videoNodes = ["/dev/video0", "/dev/video1"] })
        #expect(check.outcome == .missing)
        #expect(check.text.hasPrefix("none of /dev/video0, /dev/video1 gives pictures"))
    }

    @Test func `a camera in use, and another that is free`() {
        let busy = MachineView.Node(path: "/dev/video0", holders: ["cheese (77)"])
        let check = DeviceChecks.cameras(view { $0.cameras = [busy] })
        #expect(check.outcome == .warning)
        #expect(check.text == "/dev/video0 is in use by cheese (77)")
        #expect(DeviceChecks.cameras(view { $0.cameras = [busy, .init(path: "/dev/video2")] }).outcome == .ok)
    }

    @Test func `a camera that is refused beside one that works`() {
        let check = DeviceChecks.cameras(
            view { ($0.cameras, $0.cameraProblems) = ([.init(path: "/dev/video2")], [refusal]) })
        #expect(check.outcome == .warning)
    }

    // MARK: Sound

    @Test func `no sound card, a refused one, and one that works`() {
        #expect(DeviceChecks.microphones(view { _ in }).outcome == .warning)
        #expect(DeviceChecks.loudspeakers(view { _ in }).outcome == .warning)
        let refused = DeviceChecks.loudspeakers(view { $0.soundRefusal = refusal })
        #expect(refused.outcome == .missing)
        #expect(refused.remedy == "sudo usermod -aG audio \"$USER\", then log in again")
        let check = DeviceChecks.microphones(view { $0.microphones = ["hw:CARD=Webcam,DEV=0 (Webcam, USB Audio)"] })
        #expect(check == Check("microphones", .ok, "hw:CARD=Webcam,DEV=0 (Webcam, USB Audio)"))
    }

    @Test func `groups`() {
        #expect(DeviceChecks.groups(view { $0.user = .init(isRoot: true) }).outcome == .ok)
        #expect(DeviceChecks.groups(view { $0.user = .init(groups: ["video", "me", "audio"]) }).outcome == .ok)
        let check = DeviceChecks.groups(view { $0.user = .init(groups: ["audio"]) })
        #expect(check.outcome == .warning)
        #expect(check.remedy == "sudo usermod -aG video \"$USER\", then log in again")
        let needed = DeviceChecks.groups(view { ($0.user, $0.cameraProblems) = (.init(), [refusal]) })
        #expect(needed.outcome == .missing)
        #expect(needed.remedy?.contains("usermod -aG video,audio") == true)
    }

    // MARK: Virtual cameras

    private func loopback(isExclusive: Bool) -> LoopbackModule {
        LoopbackModule(
            isLoaded: true, devices: [.init(path: "/dev/video9", label: "Camo", isExclusive: isExclusive)])
    }

    @Test func `the module is not there`() {
        let absent = DeviceChecks.virtualCamera(view { _ in })
        #expect(absent.outcome == .missing)
        #expect(
            absent.remedy
                == "sudo apt-get install v4l2loopback-dkms && "
                + "sudo modprobe v4l2loopback exclusive_caps=1 card_label=Camo video_nr=9")
        let unloaded = DeviceChecks.virtualCamera(view { $0.isLoopbackInstalled = true })
        #expect(unloaded.outcome == .missing)
        #expect(unloaded.remedy == "sudo modprobe v4l2loopback exclusive_caps=1 card_label=Camo video_nr=9")
        let empty = DeviceChecks.virtualCamera(view { $0.loopback = LoopbackModule(isLoaded: true, devices: []) })
        #expect(empty.outcome == .missing)
    }

    @Test func `the module was loaded so that browsers do not list its camera`() {
        let check = DeviceChecks.virtualCamera(
            view { ($0.loopback, $0.loopbackNodes) = (loopback(isExclusive: false), [.init(path: "/dev/video9")]) })
        #expect(check.outcome == .warning)
        #expect(check.text.contains("Chrome and Zoom do not list it"))
        #expect(
            check.remedy
                == "sudo modprobe -r v4l2loopback && "
                + "sudo modprobe v4l2loopback exclusive_caps=1 card_label=Camo video_nr=9")
    }

    @Test func `a virtual camera in use, one that is refused, and one that is free`() {
        let busy = DeviceChecks.virtualCamera(
            view { view in
                view.loopback = loopback(isExclusive: true)
                view.loopbackNodes = [.init(path: "/dev/video9", holders: ["obs (5)"])]
            })
        #expect(busy.outcome == .warning)
        #expect(busy.text == "/dev/video9 is in use by obs (5)")
        let refused = DeviceChecks.virtualCamera(
            view { ($0.loopback, $0.loopbackProblems) = (loopback(isExclusive: true), [refusal]) })
        #expect(refused.outcome == .missing)
        let free = DeviceChecks.virtualCamera(
            view { ($0.loopback, $0.loopbackNodes) = (loopback(isExclusive: true), [.init(path: "/dev/video9")]) })
        #expect(free == Check("virtualCamera", .ok, "/dev/video9 (Camo)"))
    }

    /// Without root the parameters can be read, also where the node cannot be opened.
    @Test func `two faults at once are both said`() {
        let check = DeviceChecks.virtualCamera(
            view { ($0.loopback, $0.loopbackProblems) = (loopback(isExclusive: false), [refusal]) })
        #expect(check.outcome == .missing)
        #expect(check.text.contains("root:video") && check.text.contains("exclusive_caps=1"))
        #expect(check.remedy?.contains("usermod") == true && check.remedy?.contains("modprobe -r") == true)
    }

    // MARK: The encoder

    @Test func `the encoder is fast, slow, or not there`() {
        let fast = EncoderCheck.check(view { $0.encodeTime = .success(.milliseconds(4)) })
        #expect(fast == Check("encoder", .ok, "libx264 encodes a picture of 1280x720 in 4.0 ms"))
        let slow = EncoderCheck.check(view { $0.encodeTime = .success(.milliseconds(60)) })
        #expect(slow.outcome == .warning)
        #expect(slow.remedy == "camo-producer --definition standard --preset ultrafast")
        let hardware: [(String, String?)] = [("h264_v4l2m2m", "there is none"), ("h264_vaapi", nil)]
        let both = EncoderCheck.check(
            view { ($0.encodeTime, $0.hardwareEncoders) = (.success(.milliseconds(60)), hardware) })
        #expect(both.outcome == .ok, "what is too slow is not used")
        #expect(both.text.hasSuffix("60.0 ms; h264_v4l2m2m is not used: there is none; h264_vaapi is used instead"))
        let absent = EncoderCheck.check(view { $0.encodeTime = .failure(MediaError(.unsupported, "no libx264")) })
        #expect(absent.outcome == .missing)
    }
}
