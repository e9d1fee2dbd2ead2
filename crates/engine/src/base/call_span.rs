//! The span that the log lines of one call are in.

use toolcrib_model::Id;
use tracing::{Span, field};

/// The span around one call. It learns the workspace when the caller turned out to belong there.
pub(crate) fn span() -> Span {
    tracing::info_span!(target: "toolcrib::calls", "call", workspace_id = field::Empty)
}

/// Says that what the current call logs belongs to this workspace.
pub(crate) fn admitted(workspace: Id) {
    Span::current().record("workspace_id", field::display(workspace));
}
