/// Studio to producer, a request: from now on send me this instead. What changes is told by `streamConfiguration`.
package struct Subscribe: RequestBody {
    package static let name = "subscribe"

    package var request: UInt32
    package var subscription: Subscription

    package init(request: UInt32, subscription: Subscription) {
        self.request = request
        self.subscription = subscription
    }
}
