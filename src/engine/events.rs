//! What can happen in a run. Must not know what it leads to.

/// What happens after a time that varies.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    /// The service of this call ends; no write-ahead log holds it up.
    Served(u32),
    /// A sync of this server's log may be acknowledged.
    Synced(u32),
    /// This call of a flush is sent again.
    Retried(u32),
    /// This call of a flush is sent again, after a look-up of its regions.
    LookedUp(u32),
    /// This client has done thinking.
    Thought(u32),
    /// The intended time of the next open-loop read.
    ReadIntended,
    /// This reader has done thinking.
    ReaderThought(u32),
    /// The refused call of this part is sent again.
    PartAgain(u32),
    /// This part sends its next call.
    PartContinues(u32),
    /// The job that was to end first on this server's disk ends.
    DiskDone(u32),
    /// The held flush of this region looks again.
    FlushLooksAgain(u32),
    /// The oldest row of this region's memstore is so old that it is flushed.
    MemstoreIsOld(u32),
    /// The references that this region has compacted are archived.
    ReferencesArchived(u32),
    /// This region opens.
    RegionOpens(u32),
    /// The next move that the balancer wants starts.
    MoveStarts,
    /// The balancer runs.
    BalancerRuns,
    /// Servers report the loads of their regions.
    LoadsSampled,
    /// The normalizer runs.
    NormalizerRuns,
    /// This event of the scenario happens.
    Happens(u32),
    /// This server is as fast as ever again.
    SlownessEnds(u32),
    /// The master learns that this server has died.
    CrashDetected(u32),
    /// The intended time of the next operation of this neighbour: its number x 2, plus 1 for a Get.
    NeighbourIntended(u32),
}

/// What is on the network: it takes the same time for all.
#[derive(Debug, Clone, Copy)]
pub(super) enum Travel {
    /// A call to its server.
    Call(u32),
    /// A reply to a client.
    Reply(u32),
    /// A refusal to a client.
    Refusal(u32),
    /// To a client that buffers: a server does not serve some region of its call.
    NotServing(u32),
    /// The call of a part to its server.
    PartCall(u32),
    /// A reply to a part.
    PartReply(u32),
    /// A refusal to a part.
    PartRefusal(u32),
}
