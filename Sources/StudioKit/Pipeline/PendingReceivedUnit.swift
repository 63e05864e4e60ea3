// Until TransportCore's endpoint lands.
package struct ReceivedUnit: Sendable {
    package var unit: AccessUnit
    package var localTime: MonotonicTime
    package var arrival: MonotonicTime
    package var number: UInt32
    package var missedBefore: Int
    package init(unit: AccessUnit, localTime: MonotonicTime, arrival: MonotonicTime, number: UInt32, missedBefore: Int)
    {
        self.unit = unit
        self.localTime = localTime
        self.arrival = arrival
        self.number = number
        self.missedBefore = missedBefore
    }
}
