import CamoTypes
import DeviceCore
import FoundationEssentials
import Glibc

/// Drives DeviceCore against a machine's devices and says what came, as one JSON object: for the scripts that test it
/// in a guest with emulated cameras and sound cards.
///
///     device-probe list
///     device-probe video DEVICE [--size WxH --fps N --format F --code C --stride N --field N --seconds N --hold N
///         --stall N --save FILE]
///     device-probe encode [--code FWHT --size WxH --pictures N --save FILE --abandoned N]       by a V4L2 encoder
///     device-probe sound DEVICE [--rate N --channels N --format F --seconds N]
///     device-probe tone [--rate N --channels N --format F --seconds N]      raw samples on stdout
///     device-probe recording --size WxH --pictures FILE --times FILE --sound FILE [--rate N]      BGRA, seconds, floats
///     device-probe listen --sound FILE [--rate N]      floats
///
/// A capture ends before its time when its device is lost, or by SIGTERM; `started` on stderr says that frames come.
/// Exit codes: 0, also when the device was lost while it ran; 64 usage; 1 when it could not be opened or started, with
/// `{"error": CODE, "text": …}`.
@main
struct Program {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        do throws(ProbeFailure) {
            switch (arguments.first, arguments.dropFirst().first) {
            case ("list", nil): list()
            case ("video", let device?): try video(device, arguments.dropFirst(2))
            case ("encode", _): try encode(arguments.dropFirst())
            case ("sound", let device?): try sound(device, arguments.dropFirst(2))
            case ("tone", _): Tone.write(try SoundOptions(arguments.dropFirst()))
            case ("recording", _): print(try RecordingProbe.run(try RecordingOptions(arguments.dropFirst())))
            case ("listen", _): print(try ListenProbe.run(try ListenOptions(arguments.dropFirst())))
            default:
                throw ProbeFailure(
                    "usage: device-probe list | video DEVICE … | encode … | sound DEVICE … | tone … | recording … "
                        + "| listen …")
            }
        } catch {
            fputs("device-probe: \(error.text)\n", 64)
        }
    }

    private static func list() {
        let survey = VideoDevice.survey()
        print(
            Listing(
                cameras: survey.devices.map { ["id": $0.id, "name": $0.name, "path": $0.path] },
                problems: survey.problems.map { ["error": $0.code.rawValue, "text": $0.description] },
                sounds: SoundDevice.list().map { ["id": $0.id, "name": $0.name, "pcm": $0.pcmName] }))
    }

    private static func video(_ name: String, _ arguments: ArraySlice<String>) throws(ProbeFailure) {
        let options = try VideoOptions(arguments)
        do throws(DeviceError) {
            print(try VideoProbe.run(try VideoDevice.find(name), options))
        } catch {
            refuse(error)
        }
    }

    private static func encode(_ arguments: ArraySlice<String>) throws(ProbeFailure) {
        let options = try EncoderOptions(arguments)
        do throws(DeviceError) {
            print(try EncoderProbe.run(options))
        } catch {
            refuse(error)
        }
    }

    private static func sound(_ name: String, _ arguments: ArraySlice<String>) throws(ProbeFailure) {
        let options = try SoundOptions(arguments)
        ALSAChatter.send { fputs("alsa: \($0)\n") }
        do throws(DeviceError) {
            print(try SoundProbe.run(SoundDevice.find(name), options))
        } catch {
            refuse(error)
        }
    }

    private struct Listing: Encodable {
        var cameras: [[String: String]]
        var problems: [[String: String]]
        var sounds: [[String: String]]
    }

    private static func refuse(_ error: DeviceError) -> Never {
        print(["error": error.code.rawValue, "text": error.description])
        exit(1)
    }

    private static func print(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        Swift.print(text)
    }

    private static func fputs(_ text: String) {
        var text = text
        text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }

    private static func fputs(_ text: String, _ status: Int32) -> Never {
        fputs(text)
        exit(status)
    }
}
