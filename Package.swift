// swift-tools-version: 6.2
import PackageDescription

// Every Swift target is built the same way: Swift 6 mode (the tools version's default), warnings are errors.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A program to learn from, in `Examples/`; it sees what any program sees.
func example(_ name: String, _ library: Target.Dependency) -> Target {
    .executableTarget(
        name: name, dependencies: [library], path: "Examples/\(name)", swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["Confinement"], resources: resources, swiftSettings: strict)
}

let package = Package(
    name: "camo-producer",
    products: [
        .library(name: "ProducerKit", targets: ["ProducerKit"]),
        .library(name: "StudioKit", targets: ["StudioKit"]),
        .executable(name: "camo-producer", targets: ["camo-producer"]),
        .executable(name: "camo-studio", targets: ["camo-studio"]),
    ],
    targets: [
        // System libraries: a module map and bare includes. Inline helpers live in the C targets below, because
        // SwiftPM does not rebuild dependents when a system library's header changes.
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavcodec libavformat libswscale libswresample libavutil",
            providers: [
                .apt([
                    "libavcodec-dev", "libavformat-dev", "libswscale-dev", "libswresample-dev", "libavutil-dev",
                ])
            ]),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev"])]),
        .systemLibrary(name: "CUSB", pkgConfig: "libusb-1.0", providers: [.apt(["libusb-1.0-0-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CQR", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CZBar", pkgConfig: "zbar", providers: [.apt(["libzbar-dev"])]),

        // Inline helpers for what Swift cannot import: macros, variadic functions, ioctl numbers.
        .target(name: "CFFmpegShims", dependencies: ["CFFmpeg"]),
        .target(name: "COpenSSLShims", dependencies: ["COpenSSL"]),
        .target(name: "CLinuxShims"),

        // Values that both ends share, and the two boxes that own mutable state.
        library("CamoTypes"),
        library("Confinement", ["CamoTypes", "CLinuxShims"]),

        // The four cores: none of them knows another but through `CamoTypes`.
        library("WireProtocol", ["CamoTypes"]),
        library("MediaCore", ["CamoTypes", "Confinement", "CFFmpegShims", "CYUV", "CQR", "CZBar"]),
        library("DeviceCore", ["CamoTypes", "Confinement", "CLinuxShims", "CALSA"]),
        library(
            "TransportCore",
            ["CamoTypes", "Confinement", "WireProtocol", "COpenSSLShims", "CLinuxShims", "CAvahi", "CUSB"]),

        // The two public libraries.
        library(
            "ProducerKit",
            ["CamoTypes", "Confinement", "WireProtocol", "TransportCore", "MediaCore", "DeviceCore"]),
        library(
            "StudioKit",
            ["CamoTypes", "Confinement", "CLinuxShims", "WireProtocol", "TransportCore", "MediaCore", "DeviceCore"]),

        // The commands: one kit each, options and exit codes; both can look for what is missing, and make this machine a
        // USB device.
        library("CommandCore", ["CamoTypes", "Confinement", "CLinuxShims"]),
        library(
            "Diagnosis", ["CamoTypes", "Confinement", "CommandCore", "DeviceCore", "MediaCore", "TransportCore"]),
        library("GadgetSetup", ["CommandCore", "TransportCore"]),
        program(
            "camo-producer",
            ["CamoTypes", "Confinement", "DeviceCore", "ProducerKit", "CommandCore", "Diagnosis", "GadgetSetup"]),
        program(
            "camo-studio",
            ["CamoTypes", "Confinement", "MediaCore", "StudioKit", "CommandCore", "Diagnosis", "GadgetSetup"]),

        example("smallest-producer", "ProducerKit"),
        example("rendered-producer", "ProducerKit"),
        example("file-producer", "ProducerKit"),
        example("raw-studio", "StudioKit"),

        // Tools for scripts/bench and the fuzzer; not products.
        program(
            "camo-bench",
            [
                "CamoTypes", "Confinement", "CLinuxShims", "CommandCore", "DeviceCore", "MediaCore", "ProducerKit",
                "TransportCore",
            ]),
        program("wire-fuzz", ["WireProtocol"]),
        // For scripts/guest: drives DeviceCore against emulated devices.
        program("device-probe", ["CamoTypes", "CommandCore", "Confinement", "DeviceCore"]),
        // Publishes and browses by hand; the end-to-end tests run it as another process on the network.
        program("discovery-probe", ["CommandCore", "TransportCore"]),
        // For scripts/guest: talks over a USB cable, below TLS.
        program("usb-probe", ["CamoTypes", "Confinement", "TransportCore"]),

        tests("CamoTypesTests", ["CamoTypes"]),
        tests("ConfinementTests", []),
        tests("WireProtocolTests", ["WireProtocol"], resources: [.copy("Vectors")]),
        tests("MediaCoreTests", ["MediaCore"]),
        tests("DeviceCoreTests", ["DeviceCore", "CLinuxShims"]),
        tests("TransportCoreTests", ["TransportCore", "WireProtocol", "CamoTypes", "COpenSSLShims"]),
        tests("CommandCoreTests", ["CommandCore", "CamoTypes"]),
        tests("DiagnosisTests", ["Diagnosis", "CamoTypes", "CommandCore", "DeviceCore", "MediaCore", "TransportCore"]),
        tests("GadgetSetupTests", ["GadgetSetup", "CommandCore", "TransportCore"]),
        tests("BenchTests", ["camo-bench", "CommandCore", "CamoTypes"]),
        tests("ProducerCommandTests", ["camo-producer", "CommandCore", "CamoTypes", "DeviceCore", "GadgetSetup"]),
        tests("StudioCommandTests", ["camo-studio", "CommandCore", "CamoTypes", "GadgetSetup"]),
        tests(
            "ProducerKitTests",
            [
                "ProducerKit", "CamoTypes", "CLinuxShims", "DeviceCore", "MediaCore", "TransportCore", "WireProtocol",
                "camo-bench",
            ]),
        tests(
            "StudioKitTests",
            ["CamoTypes", "MediaCore", "DeviceCore", "TransportCore", "WireProtocol", "StudioKit", "camo-studio"]),
        // The sample flow of the Camo SDK, ported (docs/porting.md): with what is public alone.
        tests("PortingTests", ["ProducerKit", "StudioKit"]),
        // Real processes, real daemons: runs the built programs.
        tests("EndToEndTests", ["CamoTypes"]),
    ]
)
