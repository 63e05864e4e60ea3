/// The straight line that lies closest to points, without keeping them (Welford's running means).
struct LeastSquares {
    private(set) var count = 0
    private var meanX = 0.0
    private var meanY = 0.0
    private var sumXX = 0.0
    private var sumXY = 0.0

    mutating func add(x: Double, y: Double) {
        count += 1
        let fromOldMean = x - meanX
        meanX += fromOldMean / Double(count)
        meanY += (y - meanY) / Double(count)
        sumXX += fromOldMean * (x - meanX)
        sumXY += fromOldMean * (y - meanY)
    }

    /// Nil when the points lie so close together that the slope would say nothing.
    func slope(minimumDeviation: Double) -> Double? {
        guard count >= 2, sumXX >= Double(count) * minimumDeviation * minimumDeviation else { return nil }
        return sumXY / sumXX
    }
}
