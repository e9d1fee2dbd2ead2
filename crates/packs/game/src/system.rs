//! What a system of a game consists of: its words, its texts and its slug.

use toolcrib_engine::prelude::*;

use crate::shared::within;

/// The number of dependencies between the systems of a project.
const MAX_DEPENDENCIES: i64 = 10_000;
/// The number of bytes of one text of a system.
pub const MAX_TEXT: usize = 32 * 1024;
/// The number of characters of a slug.
const MAX_SLUG: usize = 80;

/// Returns the 409 of too many dependencies.
pub fn within_dependencies(wanted: i64) -> Result<(), ActionError> {
    let hint = "remove dependencies that are no longer needed, with `game_remove_dependency`";
    within(wanted, MAX_DEPENDENCIES, "dependencies of a project", hint)
}

toolcrib_model::closed_set! {
    "a status of a system",
    /// Status of a system.
    SystemStatus {
        /// Being written.
        Draft = "draft",
        /// Ready to be judged.
        Review = "review",
        /// Decided.
        Approved = "approved",
        /// In the game.
        Implemented = "implemented",
        /// No longer wanted.
        Deprecated = "deprecated",
    }
}

toolcrib_model::closed_set! {
    "an MVP criticality",
    /// How much the first playable version needs a system.
    Criticality {
        /// Not without it.
        Critical = "critical",
        /// It is much poorer without it.
        Important = "important",
        /// It can wait.
        NiceToHave = "nice_to_have",
        /// It comes later.
        PostMvp = "post_mvp",
    }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $field:ident = $title:literal,)+) => {
        /// The texts of a system.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, sqlx::FromRow)]
        pub struct Texts {
            $(
                $(#[$doc])*
                #[schemars(length(max = 32768), extend("x-untrusted" = "game designs", "x-raw" = true))]
                pub $field: Option<String>,
            )+
        }

        impl Texts {
            /// The names of the texts in the API and in the database, and their titles in Markdown.
            pub const FIELDS: &'static [(&'static str, &'static str)] = &[$((stringify!($field), $title),)+];

            /// The texts, in the order of [`Texts::FIELDS`].
            pub fn all(&self) -> Vec<Option<&str>> {
                vec![$(self.$field.as_deref(),)+]
            }

            pub fn all_mut(&mut self) -> Vec<&mut Option<String>> {
                vec![$(&mut self.$field,)+]
            }

            /// The number of bytes of all texts.
            pub fn bytes(&self) -> usize {
                self.all().into_iter().flatten().map(str::len).sum()
            }

            /// Replaces texts without a visible character by none.
            pub fn drop_blank(&mut self) {
                for text in self.all_mut() {
                    text.take_if(|text| text.trim().is_empty());
                }
            }
        }
    };
}

texts! {
    /// What the system is for.
    purpose = "Purpose",
    /// How it works as it is.
    current_state = "Current State",
    /// How it should work.
    target_state = "Target State",
    /// Core mechanics.
    core_mechanics = "Core Mechanics",
    /// What goes in.
    inputs = "Inputs",
    /// What comes out.
    outputs = "Outputs",
    /// How it can fail.
    failure_states = "Failure States",
    /// How it behaves as the game grows.
    scaling_behavior = "Scaling Behavior",
    /// Notes for those who build it.
    implementation_notes = "Implementation Notes",
    /// What is not decided.
    open_questions = "Open Questions",
}

/// Returns what is wrong with a slug: it is lower-case letters, digits, `-` and `_`, and no id.
pub fn slug_defect(slug: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let lower = slug.to_ascii_lowercase();
    if lower != slug && slug_defect(&lower).is_none() {
        return Some(format!("must be in lower case: `{lower}`"));
    }
    if slug.is_empty() || slug.len() > MAX_SLUG || !slug.starts_with(plain) {
        return Some(format!(
            "must have 1 to {MAX_SLUG} characters and begin with a lower-case letter or a digit"
        ));
    }
    if let Some(c) = slug.chars().find(|&c| !plain(c) && c != '-' && c != '_') {
        return Some(format!("must be lower-case letters, digits, `-` and `_`, without `{c}`"));
    }
    Id::try_parse(slug).is_ok().then(|| "must not look like an ID".to_owned())
}
