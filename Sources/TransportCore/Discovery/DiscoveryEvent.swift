/// What ``Discovery`` tells.
package enum DiscoveryEvent: Hashable, Sendable {
    /// The Avahi daemon is there.
    case available
    /// There is no Avahi daemon, or no system bus to reach it by. One line for the user, once for each outage;
    /// everything starts by itself when the daemon comes.
    case unavailable(String)
    /// The service is on the network under `name`, which may not be the wanted one. Comes again after a rename and
    /// after a restart of the daemon.
    case published(PublicationID, name: String)
    /// The service cannot be published as it is: one line for the user.
    case publishingFailed(PublicationID, reason: String)
    case found(BrowsedService)
    /// Other addresses or another text.
    case changed(BrowsedService)
    /// Gone, or the daemon is.
    case lost(BrowsedService.ID)
}
