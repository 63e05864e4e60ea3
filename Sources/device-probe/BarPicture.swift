import CamoTypes

/// The kernel's test camera (vivid) shows eight colour bars of 75 %, upright and still. This measures how far a frame is
/// from them, by way of the frame's own colour description: so it sees sheared rows, swapped channels and untrue tags.
enum BarPicture {
    /// White, yellow, cyan, green, magenta, red, blue, black; 191 is 75 % of 255.
    private static let bars: [(red: Int, green: Int, blue: Int)] = [
        (191, 191, 191), (191, 191, 0), (0, 191, 191), (0, 191, 0), (191, 0, 191), (191, 0, 0), (0, 0, 191), (0, 0, 0),
    ]

    /// The largest difference of red, green or blue in the middle of any bar, in rows at the top, in the middle and at
    /// the bottom: 0 … 255.
    static func error(of frame: VideoFrame) -> Int {
        frame.withPlanes { planes in
            var worst = 0
            for row in [0, frame.size.height / 2, frame.size.height - 1] {
                for (index, colored) in bars.enumerated() {
                    let bar = frame.format == .gray ? gray(colored) : colored
                    let column = (2 * index + 1) * frame.size.width / 16
                    let color = color(frame, planes, column: column, row: row)
                    worst = max(
                        worst, abs(color.red - bar.red), abs(color.green - bar.green), abs(color.blue - bar.blue))
                }
            }
            return worst
        }
    }

    /// Its luma alone, for which vivid takes Rec. 709, whatever else it is set to.
    private static func gray(_ bar: (red: Int, green: Int, blue: Int)) -> (red: Int, green: Int, blue: Int) {
        let luma = Int(0.2126 * Double(bar.red) + 0.7152 * Double(bar.green) + 0.0722 * Double(bar.blue) + 0.5)
        return (luma, luma, luma)
    }

    private static func color(
        _ frame: VideoFrame, _ planes: [VideoPlane], column: Int, row: Int
    ) -> (red: Int, green: Int, blue: Int) {
        func byte(_ plane: Int, _ row: Int, _ offset: Int) -> Int {
            Int(planes[plane].bytes[row * planes[plane].stride + offset])
        }
        switch frame.format {
        case .bgra:
            return (byte(0, row, column * 4 + 2), byte(0, row, column * 4 + 1), byte(0, row, column * 4))
        case .yuyv:
            let pair = column / 2 * 4
            return rgb(byte(0, row, column * 2), byte(0, row, pair + 1), byte(0, row, pair + 3), frame.color)
        case .uyvy:
            let pair = column / 2 * 4
            return rgb(byte(0, row, column * 2 + 1), byte(0, row, pair), byte(0, row, pair + 2), frame.color)
        case .rgb24: return (byte(0, row, column * 3), byte(0, row, column * 3 + 1), byte(0, row, column * 3 + 2))
        case .bgr24: return (byte(0, row, column * 3 + 2), byte(0, row, column * 3 + 1), byte(0, row, column * 3))
        case .gray: return rgb(byte(0, row, column), 128, 128, frame.color)
        case .nv21:
            let pair = column / 2 * 2
            return rgb(byte(0, row, column), byte(1, row / 2, pair + 1), byte(1, row / 2, pair), frame.color)
        case .nv12:
            let pair = column / 2 * 2
            return rgb(byte(0, row, column), byte(1, row / 2, pair), byte(1, row / 2, pair + 1), frame.color)
        case .i420:
            return rgb(byte(0, row, column), byte(1, row / 2, column / 2), byte(2, row / 2, column / 2), frame.color)
        }
    }

    /// H.273, 8.3, the equations for Kr and Kb.
    private static func rgb(_ y: Int, _ cb: Int, _ cr: Int, _ color: ColorDescription) -> (Int, Int, Int) {
        let (kr, kb) =
            switch color.matrix {
            case 1: (0.2126, 0.0722)
            case 7: (0.212, 0.087)
            case 9, 10: (0.2627, 0.0593)
            default: (0.299, 0.114)
            }
        let luma = color.isFullRange ? Double(y) / 255 : Double(y - 16) / 219
        let scale = color.isFullRange ? 255.0 : 224.0
        let (blue, red) = (Double(cb - 128) / scale, Double(cr - 128) / scale)
        let r = luma + 2 * (1 - kr) * red
        let b = luma + 2 * (1 - kb) * blue
        let g = (luma - kr * r - kb * b) / (1 - kr - kb)
        func byte(_ value: Double) -> Int { Int(max(0, min(255, value * 255 + 0.5))) }
        return (byte(r), byte(g), byte(b))
    }
}
