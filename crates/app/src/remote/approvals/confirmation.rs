//! A call that waits for a person, as it is shown before a decision.

use serde::Deserialize;
use serde_json::Value;
use toolcrib_model::{Id, Ts, count, visible};

use crate::failure::Failure;

/// The fields of `GET /v1/confirmations/{id}` that are shown.
#[derive(Deserialize)]
pub struct Confirmation {
    pub id: Id,
    status: String,
    action: String,
    description: String,
    level: String,
    /// Of a typed one that waits.
    pub phrase: Option<String>,
    warning: Option<String>,
    summary: Vec<Line>,
    more: usize,
    pub arguments: Value,
    requester: Requester,
    created_at: Ts,
    expires_at: Ts,
    can_decide: CanDecide,
    approve_url: String,
}

/// A parameter as people read it.
#[derive(Deserialize)]
struct Line {
    label: String,
    value: String,
}

#[derive(Deserialize)]
struct Requester {
    kind: String,
    id: Id,
    name: Option<String>,
    user_name: Option<String>,
}

#[derive(Deserialize)]
struct CanDecide {
    allowed: bool,
    reason: Option<String>,
    needs_sign_in: bool,
}

impl Confirmation {
    pub fn is_typed(&self) -> bool {
        self.level == "typed"
    }

    /// Returns the call in one line.
    pub fn line(&self) -> String {
        let Self { id, level, description, expires_at, .. } = self;
        let refused = if self.can_decide.allowed { "" } else { "; you may not decide it" };
        format!(
            "{id} {description} ({level}), asked by {}, until {expires_at}{refused}",
            self.requester.text()
        )
    }

    /// Returns everything that a person reads before they decide.
    pub fn text(&self) -> String {
        let Self { id, status, action, level, created_at, expires_at, .. } = self;
        let mut lines = vec![self.description.clone()];
        lines.extend(self.warning.as_ref().map(|warning| format!("Warning: {warning}")));
        lines.push(format!("  confirmation {id}: {status}, {level}, until {expires_at}"));
        lines.push(format!("  action {action}, asked by {}, at {created_at}", self.requester.text()));
        lines.extend(self.summary.iter().map(Line::text));
        if self.more > 0 {
            lines.push(format!("  and {} more", count(self.more, "parameter")));
        }
        // Line breaks in values are escaped in JSON.
        let arguments = format!("arguments {:#}", self.arguments);
        lines.extend(arguments.lines().map(|line| format!("  {line}")));
        if !self.can_decide.allowed {
            lines.push(format!("  {}", self.refusal()));
        }
        lines.iter().fold(String::new(), |text, line| text + &visible(line) + "\n")
    }

    /// Fails if the person may not decide it now.
    pub fn may_be_decided(&self) -> Result<(), Failure> {
        if self.can_decide.allowed {
            return Ok(());
        }
        Err(Failure::CouldNotRun(visible(&self.refusal()).into_owned()))
    }

    fn refusal(&self) -> String {
        let CanDecide { reason, needs_sign_in, .. } = &self.can_decide;
        let reason = reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let page = if *needs_sign_in { format!("; sign in at {}", self.approve_url) } else { String::new() };
        format!("you may not decide it{reason}{page}")
    }
}

impl Requester {
    fn text(&self) -> String {
        let Self { kind, id, name, user_name } = self;
        let name = name.as_ref().map_or_else(|| id.to_string(), |name| format!("`{name}`"));
        let user = user_name.as_ref().filter(|_| kind != "user");
        let user = user.map(|user| format!(" for `{user}`")).unwrap_or_default();
        format!("the {kind} {name}{user}")
    }
}

impl Line {
    /// Returns the parameter in one line.
    fn text(&self) -> String {
        format!("  {}: {}", self.label, self.value)
    }
}
