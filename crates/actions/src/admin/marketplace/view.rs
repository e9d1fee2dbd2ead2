//! The statuses of an item.

toolcrib_model::closed_set! {
    "a status",
    /// Whether an item is offered.
    Status {
        /// Not visible yet.
        Pending = "pending",
        /// Visible to every workspace and installable.
        Approved = "approved",
        /// No longer installable; existing installations stay.
        Withdrawn = "withdrawn",
    }
}
