//! Gate 8: whether a human is asked first.

use toolcrib_access::{ApprovalMode, WorkspacePolicy};
use toolcrib_model::ErrorCode;
use toolcrib_registry::{ConfirmationLevel, Level, Spec, Surface};

use super::{
    arguments::{Valid, holds},
    idempotency::Key,
    lookup::{Found, Subject},
};
use crate::{ActionError, action::Target, call::Info, stop::Stop};

/// A call that may run without asking, or after a human agreed.
pub struct Confirmed {
    pub(super) valid: Valid,
    pub(super) granted_by: &'static str,
}

/// What a human is asked.
pub struct Question {
    valid: Valid,
    /// How they must agree.
    pub level: ConfirmationLevel,
}

impl Question {
    /// The call that waits.
    pub fn found(&self) -> &Found {
        &self.valid.found
    }

    /// Whom and what it is about.
    pub fn subject(&self) -> &Subject {
        &self.valid.found.subject
    }

    /// The key it is known by.
    pub fn key(&self) -> Option<&Key> {
        self.valid.key.as_ref()
    }

    /// The resolved arguments: RFC 8785 form and digest.
    pub fn arguments(&self) -> (&str, &str) {
        (&self.valid.canonical, &self.valid.digest)
    }

    /// What it is about.
    pub fn target(&self) -> &Target {
        &self.valid.target
    }
}

/// Lets the call pass, or asks. A confirmation that was approved must still be about the same thing.
pub fn ask(info: &Info, valid: Valid) -> Result<Confirmed, Stop> {
    if let Some(approval) = &info.confirmation {
        let same_schema = valid.found.meta.input.digest() == approval.schema_digest;
        let same_target = valid.target.version == approval.target_version;
        let same = same_schema && same_target;
        if !(approval.modified || same) {
            let what = if same_schema { "its target changed" } else { "the action's parameters changed" };
            let error =
                ActionError::new(ErrorCode::Void, format!("the confirmation no longer applies: {what}"));
            return Err(valid.found.refuse(error, "denied", "void"));
        }
        return Ok(Confirmed { valid, granted_by: "user" });
    }
    let level = level(&valid.found.meta.spec, &valid.found.policy, &valid.found.subject.arguments);
    if level == ConfirmationLevel::None {
        return Ok(Confirmed { valid, granted_by: "auto" });
    }
    Err(Stop::Ask(Box::new(Question { valid, level })))
}

/// The effective level: the most of the action's own, the workspace's mode and the parameters that raise it.
pub fn level(spec: &Spec, policy: &WorkspacePolicy, arguments: &serde_json::Value) -> ConfirmationLevel {
    if spec.surface == Surface::Program {
        return ConfirmationLevel::None;
    }
    let mode = match policy.approval_mode {
        ApprovalMode::ConfirmWrites if spec.level >= Level::Write => ConfirmationLevel::Simple,
        _ => ConfirmationLevel::None,
    };
    let floor =
        if spec.level == Level::Destructive { ConfirmationLevel::Simple } else { ConfirmationLevel::None };
    let raised =
        spec.escalations.iter().filter(|e| holds(e.when, arguments.get(e.parameter))).map(|e| e.level);
    raised.chain([spec.confirmation, mode, floor]).max().unwrap_or(ConfirmationLevel::Typed)
}
