//! Inputs that several actions share: what they are about, and nothing more.

use toolcrib_engine::prelude::*;

use crate::shared::Ref;

/// ID or slug of a system.
#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "the schema of the items of lists of systems, which are read as `Ref`")]
pub struct SystemRef(#[schemars(length(min = 1, max = 200), extend("x-reference" = true))] String);

/// A project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfProject {
    /// ID or exact name.
    pub project: Option<Ref>,
}

/// A system of a project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfSystem {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID or slug.
    pub system: Ref,
}

/// A version plan of a project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfPlan {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID or label.
    pub plan: Ref,
}

/// A brainstorm of a project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfBrainstorm {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID.
    pub brainstorm: Id,
}
