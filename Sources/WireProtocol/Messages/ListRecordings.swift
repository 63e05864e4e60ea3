/// Studio to producer, a request: which recordings there are. They come in the `result`.
package struct ListRecordings: RequestBody {
    package static let name = "recordings"

    package var request: UInt32
    package init(request: UInt32) { self.request = request }
}
