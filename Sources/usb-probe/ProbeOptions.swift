/// What the command line asks for.
struct ProbeOptions: Sendable {
    static let usage = """
        usage: usb-probe host|gadget|gadget:DIRECTORY JOB
          gadget        the device that `usb-gadget setup` has made, plugged in; with a DIRECTORY a FunctionFS that
                        somebody else plugs in
          echo          sends back what comes, over one link after the other, for ever
          check COUNT   sends messages of lengths around the packet size, around 16 KiB, and COUNT random ones to an
                        echo, each when the last one is back; prints how many came back wrong and the longest time
          send BYTES    sends so many to a `take`, which answers with their sum; prints the speed
          take BYTES    the other end of `send`
          ping COUNT    sends a picture's 20,000 bytes so many times to an `ack`, each when the last one was answered;
                        prints the median of the time
          ack           the other end of `ping`, for ever
          churn COUNT   opens the cable and sends what it likes for a random moment, then lets go of it, in the middle of
                        transfers, so many times; prints the longest time until the cable was free
        """

    enum Side: Sendable {
        case host
        /// - Parameter directory: Nil: the programs' own, which is to be plugged in.
        case gadget(directory: String?)
    }

    enum Job: Sendable {
        case echo
        case check(count: Int)
        case send(byteCount: Int)
        case take(byteCount: Int)
        case ping(count: Int)
        case ack
        case churn(count: Int)
    }

    struct Usage: Error {
        let message: String
    }

    let side: Side
    let job: Job

    init(_ side: Side, _ job: Job) { (self.side, self.job) = (side, job) }

    init(_ words: [String]) throws(Usage) {
        guard words.count >= 2 else { throw Usage(message: "a side of the cable and a job, please") }
        if words[0] == "host" {
            side = .host
        } else if words[0] == "gadget" {
            side = .gadget(directory: nil)
        } else if words[0].hasPrefix("gadget:") {
            side = .gadget(directory: String(words[0].dropFirst("gadget:".count)))
        } else {
            throw Usage(message: "'\(words[0])' is no side of a cable")
        }
        let number = words.count > 2 ? Int(words[2]) : nil
        switch (words[1], number) {
        case ("echo", nil): job = .echo
        case ("check", let count?): job = .check(count: count)
        case ("send", let count?): job = .send(byteCount: count)
        case ("take", let count?): job = .take(byteCount: count)
        case ("ping", let count?): job = .ping(count: count)
        case ("ack", nil): job = .ack
        case ("churn", let count?): job = .churn(count: count)
        default: throw Usage(message: "'\(words[1])' is no job")
        }
    }
}
