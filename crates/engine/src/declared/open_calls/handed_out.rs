//! The outcome of a read that was handed out: it is formatted like that of any call, and nothing is recorded.

use serde_json::json;
use toolcrib_auth::Authenticated;
use toolcrib_model::ExecutorKind;
use toolcrib_registry::Level;

use super::{
    report::{CallReport, ReadReport},
    view,
};
use crate::{base::ActionError, declared::client_calls::times_of, engine::Engine, response::Outcome};

impl Engine {
    /// Returns what a read would have been answered with if it had run here. Nothing is recorded: the audit row was
    /// written when the read was handed out.
    pub async fn handed_out_outcome(
        &self,
        authenticated: &Authenticated,
        action: &str,
        tool_call_id: &str,
        report: &CallReport,
    ) -> Result<Outcome, ActionError> {
        report.check_size()?;
        let admitted = self.admit_with_catalog(authenticated, authenticated.surface()).await?;
        let catalog = &*admitted.catalog;
        let meta = catalog.registry().get(action).filter(|_| times_of(catalog, action).is_some());
        let Some(meta) = meta else { return Err(ActionError::not_found("tool", action)) };
        if meta.spec.level != Level::Read {
            let message = format!("`{action}` is no read");
            let error = ActionError::invalid("/action", "level", message);
            return Err(error.hint("claim the call, and report its outcome with its `call_id`"));
        }
        let read = ReadReport::of(report, catalog, action, &json!({}));
        let result = read.result(report.status.outcome());
        Ok(view::outcome(ExecutorKind::Client, action, None, Some(tool_call_id), &result))
    }
}
