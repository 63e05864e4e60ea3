import CamoTypes
import Testing

@Suite struct CameraParametersTests {
    @Test func `what no camera has is not valid`() {
        let good = CameraParameters(width: 1920, height: 1080, focalXPixels: 1450.5, focalYPixels: 1452)
        #expect(good.isValid)
        for focal in [0, -1, .nan, .infinity, -.infinity, 1e8, .leastNonzeroMagnitude] as [Double] {
            var (x, y) = (good, good)
            (x.focalXPixels, y.focalYPixels) = (focal, focal)
            #expect(!x.isValid && !y.isValid, "\(focal)")
        }
        for side in [0, -1, 8193, .max, .min] {
            var (wide, high) = (good, good)
            (wide.width, high.height) = (side, side)
            #expect(!wide.isValid && !high.isValid, "\(side)")
        }
    }

    @Test func `in smaller pictures it has a shorter focal length`() {
        let camera = CameraParameters(width: 1920, height: 1080, focalXPixels: 1500, focalYPixels: 1506)
        let scaled = camera.scaled(to: PixelSize(width: 1280, height: 720))
        #expect(scaled == CameraParameters(width: 1280, height: 720, focalXPixels: 1000, focalYPixels: 1004))
    }
}
