//! Reports the outcome of a call that the caller ran.
#![deny(missing_docs)]

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolcrib_access::Caller;
use toolcrib_auth::Authenticated;
use toolcrib_model::{ErrorCode, Id, OpenCallState, Outcome, Ts, visible};
use toolcrib_registry::digest;
use toolcrib_store::{
    WriteTx,
    open_calls::{self, OpenCallRow},
    within,
};

use super::{
    caller::{is_own, not_found, run_by_caller},
    end::CallOutcome,
    view::{CallResult, OpenCallView},
};
use crate::{
    base::{ActionError, mask},
    catalog::Catalog,
    confirm::DecisionMeta,
    engine::Engine,
    gates::early_exit::EarlyExit,
};

/// The largest output, in bytes of JSON.
const MAX_OUTPUT_BYTES: usize = 256 * 1024;
/// Seconds after an unknown end in which a report is still taken.
const LATE_SECONDS: i64 = 24 * 60 * 60;

/// How the caller says that a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ReportedStatus {
    /// It ran and succeeded.
    Succeeded,
    /// It ran and failed.
    Failed,
    /// It did not run.
    NotRun,
}

impl ReportedStatus {
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::Succeeded => Outcome::Succeeded,
            Self::Failed => Outcome::Failed,
            Self::NotRun => Outcome::NotRun,
        }
    }
}

/// The outcome of a call that the caller ran.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallReport {
    /// How the call ended.
    pub status: ReportedStatus,
    /// What the tool returned: any JSON of at most 256 KiB. Compared with the tool's output schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>", extend("x-free" = true))]
    pub output: Option<Value>,
    /// Why the call failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub error: Option<String>,
}

impl CallReport {
    /// Refuses an output that is too large.
    pub(super) fn check_size(&self) -> Result<(), ActionError> {
        let size = self.output.as_ref().map_or(0, |output| output.to_string().len());
        if size <= MAX_OUTPUT_BYTES {
            return Ok(());
        }
        let message = format!("must be at most {MAX_OUTPUT_BYTES} bytes of JSON, not {size}");
        Err(ActionError::invalid("/output", "maxLength", message).hint("report a shorter output"))
    }
}

/// A report that was compared with the tool's output schema.
pub(super) struct ReadReport {
    /// Digest of the report as received.
    pub digest: String,
    /// One sentence about the call.
    pub description: String,
    /// The output, with sensitive values masked.
    output: Option<Value>,
    output_fits: Option<bool>,
    pub error: Option<String>,
}

impl ReadReport {
    fn of_row(report: &CallReport, catalog: &Catalog, row: &OpenCallRow) -> Self {
        let arguments = row.arguments.as_deref().and_then(|text| serde_json::from_str(text).ok());
        Self::of(report, catalog, &row.action, &arguments.unwrap_or_default())
    }

    /// Reads the report about a call of `action` with these arguments.
    pub fn of(report: &CallReport, catalog: &Catalog, action: &str, arguments: &Value) -> Self {
        let meta = catalog.registry().get(action);
        let mut output = report.output.clone();
        let output_fits = output.as_ref().zip(meta).and_then(|(output, meta)| meta.output_fits(output));
        if let Some(output) = &mut output {
            // Without the tool's schema any value may be sensitive.
            match meta {
                Some(meta) => mask::mask(meta.output.value(), output),
                None => *output = mask::MASK.into(),
            }
        }
        let tool = catalog.declared(action).zip(meta);
        let shown = output.clone().unwrap_or_default();
        let description = match tool {
            Some((tool, meta)) if report.status == ReportedStatus::Succeeded => {
                tool.result_sentence(meta, arguments, &shown)
            }
            Some((tool, meta)) => tool.sentence(meta, arguments),
            None => crate::response::sentence(action, None, None),
        };
        let error = report.error.as_deref().map(|text| visible(text).into_owned());
        Self { digest: digest(&json!(report)), description, output, output_fits, error }
    }

    /// Returns the result of a call that ended in this way, as reported.
    pub fn result(&self, outcome: Outcome) -> CallResult {
        CallResult {
            description: Some(self.description.clone()),
            output: self.output.clone(),
            output_fits: self.output_fits,
            error: self.error.clone(),
            ..CallResult::new(outcome)
        }
    }
}

impl Engine {
    /// Takes the outcome of a call from the principal that made it or from its user, whatever their role is by then. The same
    /// report again gets the same answer.
    pub async fn report_call(
        self: &Arc<Self>,
        authenticated: &Authenticated,
        id: Id,
        report: CallReport,
        meta: DecisionMeta,
    ) -> Result<OpenCallView, ActionError> {
        report.check_size()?;
        let (mut tx, caller) = self.begin_as(authenticated).await?;
        let work = self.report_in(&mut tx, &caller, (id, &report), &meta);
        let ended = within(self.write_timeout(10), work).await?;
        tx.end(ended).await?;
        self.open_call(authenticated, id).await
    }

    async fn report_in(
        &self,
        tx: &mut WriteTx,
        caller: &Caller,
        (id, report): (Id, &CallReport),
        meta: &DecisionMeta,
    ) -> Result<(), EarlyExit> {
        let row = open_calls::get(tx, id).await?.filter(|row| is_own(caller, row));
        let Some(row) = row else { return Err(not_found(id).into()) };
        run_by_caller(&row)?;
        let context = self.decision_context(meta);
        let catalog = self.catalog_in(tx).await?;
        let read = ReadReport::of_row(report, &catalog, &row);
        if row.report_digest.as_deref() == Some(&read.digest) {
            return Ok(());
        }
        if let Some(error) = unreportable(&row, report.status, context.now) {
            return Err(error.into());
        }
        let outcome = report.status.outcome();
        let reason = (row.state == OpenCallState::Unknown).then_some("late");
        self.end_call(tx, &context, (&catalog, &row), CallOutcome::reported(outcome, reason, (&read, caller)))
            .await
    }
}

/// Returns why a call takes no report.
fn unreportable(row: &OpenCallRow, status: ReportedStatus, now: Ts) -> Option<ActionError> {
    let conflict = |detail: String| Some(ActionError::new(ErrorCode::Conflict, detail));
    match row.state {
        OpenCallState::Running => None,
        OpenCallState::Ready => {
            conflict("the call was not claimed".to_owned()).map(|error| error.hint("claim it, then run it"))
        }
        OpenCallState::Unknown => {
            let last = row.ended_at.map_or(now, Ts::from_micros).plus_seconds(LATE_SECONDS);
            if now >= last {
                Some(ActionError::new(ErrorCode::Expired, "the time for a report is over"))
            } else if status == ReportedStatus::NotRun {
                conflict(
                    "a call that was claimed and not reported in time can only have succeeded or failed"
                        .to_owned(),
                )
            } else {
                None
            }
        }
        state => conflict(format!("the call has ended with another report: `{state}`")),
    }
}
