//! The tracing span of one call.

use toolcrib_model::Id;
use tracing::{Span, field};

/// Opens the span of one call. [`admitted`] records the workspace, once the caller's membership is known.
pub(crate) fn span() -> Span {
    tracing::info_span!(target: "toolcrib::calls", "call", workspace_id = field::Empty)
}

/// Records the workspace in the current span, and so in every log line of the call.
pub(crate) fn admitted(workspace: Id) {
    Span::current().record("workspace_id", field::display(workspace));
}
