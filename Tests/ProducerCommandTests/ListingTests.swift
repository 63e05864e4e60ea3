import CamoTypes
import CommandCore
import DeviceCore
import Testing

@testable import camo_producer

/// What `list` says of a camera and of a microphone.
@Suite struct ListingTests {
    private let camera = VideoDevice(
        id: "usb:046d:0825:AB12:0", name: "UVC Camera", path: "/dev/video0", driver: "uvcvideo", bus: "usb-1",
        serial: "AB12",
        facing: .front)

    @Test func `a camera is its node, name and lasting ID, and a line for each format`() {
        let offer = CameraOffer(
            modes: [
                CameraMode("YUYV", .fixed(PixelSize(width: 640, height: 480)), rates: [30, 15])!,
                CameraMode("YUYV", .fixed(PixelSize(width: 1280, height: 720)), rates: [10])!,
                CameraMode(
                    "NV12",
                    .range(
                        least: PixelSize(width: 32, height: 32), greatest: PixelSize(width: 1920, height: 1080),
                        step: PixelSize(width: 2, height: 2)), rates: [])!,
            ], otherFormats: ["RG10"])
        let brightness = CameraControl(
            id: "brightness", name: "Brightness", kind: .integer, range: 0...255, defaultValue: 128, value: 7)
        let listing = CameraListing(camera, offer, [brightness])
        #expect(
            listing.lines == [
                "/dev/video0  UVC Camera, front  usb:046d:0825:AB12:0",
                "    YUYV (yuyv)  640x480 at 30, 15 fps; 1280x720 at 10 fps",
                "    NV12 (nv12)  32x32 … 1920x1080",
                "    not understood: RG10",
                "    controls: brightness",
            ])
        let fields = JSONValue.object(listing.event.fields).text
        #expect(
            fields.contains(
                #"{"format":"yuyv","code":"YUYV","width":640,"height":480,"framesPerSecond":[30.0,15.0]}"#))
        #expect(fields.contains(#""leastWidth":32,"leastHeight":32,"greatestWidth":1920"#))
        #expect(fields.contains(#""controls":[{"id":"brightness","name":"Brightness","kind":"integer""#))
        #expect(fields.contains(#""facing":"front""#) && fields.contains(#""otherFormats":["RG10"]"#))
    }

    @Test func `a microphone is what ALSA opens it by, its name and ID, and what it records`() {
        let microphone = SoundDevice(id: "card:Loopback:1", name: "Loopback, PCM", pcmName: "hw:CARD=Loopback,DEV=1")
        let listing = MicrophoneListing(microphone, SoundAbilities(sampleRates: [44_100, 48_000], channels: [1, 2]))
        #expect(
            listing.lines == [
                "hw:CARD=Loopback,DEV=1  Loopback, PCM  card:Loopback:1", "    44100, 48000 Hz; 1, 2 channels",
            ])
        #expect(
            JSONValue.object(listing.event.fields).text.hasSuffix(
                #""alsa":"hw:CARD=Loopback,DEV=1","sampleRates":[44100,48000],"channels":[1,2]}"#))
    }
}
