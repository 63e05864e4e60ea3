/// What moves in the picture.
extension ProducerController {
    /// Nil: nothing is looked for. Looked for in what is sent: while somebody watches. May be changed while running; studios
    /// are told whether there is any.
    public var motionDetection: MotionDetection? {
        get { motion.withLock { $0 } }
        set {
            motion.withLock { $0 = newValue }
            service?.setMotionDetection(newValue)
        }
    }

    func didDetect(_ motion: DetectedMotion) {
        calls.call { [self] in $0.producerController(self, didDetect: motion) }
    }
}
