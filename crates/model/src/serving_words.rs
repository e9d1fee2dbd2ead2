//! Whether a database may be served.
#![deny(missing_docs)]

closed_set! {
    "a serving state",
    /// What the processes on a database may do. A database that was put back from a backup has no state until
    /// `toolcrib restore` ran on it.
    ServingState {
        /// It was restored from a backup, and what changed since was not accepted: nobody may sign in or call.
        Restored = "restored",
        /// Callers are served. Webhooks and due work are held.
        Accepted = "accepted",
        /// Nothing is held.
        Open = "open",
    }
}
