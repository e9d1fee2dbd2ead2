//! The declaration of a tool in the form that the gates decide by.

use std::sync::Arc;

use serde_json::json;
use toolcrib_registry::{
    ActionMeta, Category, Level, LimitClass, Permission, PermissionResource, Spec, ToolState, Verb,
};

use crate::checked::{CheckedTool, ToolExecutor};

impl CheckedTool {
    /// Returns the declaration of the tool, whose toolset has this slug, in this state.
    pub fn spec(&self, slug: &str, state: ToolState) -> Spec {
        let texts = |words: &[String]| words.iter().map(|word| Arc::from(word.as_str())).collect();
        let base = Spec::read(&self.full_name, Category::Toolset, permission(slug, self.level));
        Spec {
            level: self.level,
            mutation: self.level.into(),
            promoted: self.promoted,
            external: matches!(self.executor, ToolExecutor::Http(_) | ToolExecutor::Mcp(_)),
            confirmation: self.confirmation,
            warning: self.warning.as_deref().map(Arc::from),
            notifies_admins: self.notifies_admins,
            accessible_by: Some(self.access.clone()),
            min_role: Some(self.min_role),
            state,
            description: self.description.as_str().into(),
            tags: texts(&self.tags),
            examples: texts(&self.examples),
            danger: texts(&self.always_show),
            escalations: self.escalations.clone(),
            limit_class: self.limit_class(),
            timeout_seconds: u8::try_from(self.timeout_seconds).unwrap_or(u8::MAX),
            ..base
        }
    }

    /// Returns the rate limit bucket of its calls.
    fn limit_class(&self) -> LimitClass {
        match (&self.executor, self.level) {
            (ToolExecutor::Client { .. }, _) => LimitClass::Client,
            (_, Level::Read) => LimitClass::External,
            _ => LimitClass::Write,
        }
    }

    /// Returns the declaration with its schemas.
    pub fn meta(&self, slug: &str, state: ToolState) -> ActionMeta {
        let any = json!({});
        let output = self.output.as_ref().unwrap_or(&any);
        ActionMeta::declared(self.spec(slug, state), &self.parameters, output, &self.definition)
    }
}

/// Returns the permission that a tool of this level needs: `read`, `use` or `delete` for its toolset.
fn permission(slug: &str, level: Level) -> Permission {
    let verb = match level {
        Level::Read => Verb::Read,
        Level::Write => Verb::Use,
        Level::Destructive => Verb::Delete,
    };
    Permission { resource: PermissionResource::Toolset(slug.into()), verb }
}
