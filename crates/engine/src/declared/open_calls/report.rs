//! The report of a caller about a call that it ran.
#![deny(missing_docs)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolcrib_model::{Outcome, visible};
use toolcrib_registry::digest;

use super::view::CallResult;
use crate::{
    base::{ActionError, mask},
    catalog::Catalog,
};

/// The largest output, in bytes of JSON.
const MAX_OUTPUT_BYTES: usize = 256 * 1024;

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
    /// Refuses a field that does not belong to the status, and an output that is too large.
    pub(super) fn check(&self) -> Result<(), ActionError> {
        let succeeded = self.status == ReportedStatus::Succeeded;
        if succeeded && self.error.is_some() {
            let message = "belongs to `failed` and `not_run`: a call that succeeded has an `output`";
            return Err(ActionError::invalid("/error", "status", message));
        }
        if !succeeded && self.output.is_some() {
            let message = "belongs to `succeeded`: a call that failed or did not run has an `error`";
            return Err(ActionError::invalid("/output", "status", message));
        }
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
