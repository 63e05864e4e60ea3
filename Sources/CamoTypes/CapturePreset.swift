/// The sizes that cameras are commonly asked for, by the names that they have in AVFoundation.
public enum CapturePreset: String, CaseIterable, Hashable, Sendable {
    case qvga320x240
    case cif352x288
    case vga640x480
    case iFrame960x540
    case hd1280x720
    case hd1920x1080
    case hd4K3840x2160

    /// In pixels.
    public var size: PixelSize {
        switch self {
        case .qvga320x240: PixelSize(width: 320, height: 240)
        case .cif352x288: PixelSize(width: 352, height: 288)
        case .vga640x480: PixelSize(width: 640, height: 480)
        case .iFrame960x540: PixelSize(width: 960, height: 540)
        case .hd1280x720: PixelSize(width: 1280, height: 720)
        case .hd1920x1080: PixelSize(width: 1920, height: 1080)
        case .hd4K3840x2160: PixelSize(width: 3840, height: 2160)
        }
    }
}
