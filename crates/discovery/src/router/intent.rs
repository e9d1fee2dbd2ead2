//! The intents, and the categories that each reaches.

use serde::Serialize;
use toolcrib_registry::Category;

/// What somebody is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// "Hello."
    Greeting,
    /// Thanks, jokes, feelings: nothing to do.
    Chitchat,
    /// What was said, noted or agreed before.
    MemoryRecall,
    /// What is so: one thing looked up.
    Factual,
    /// Figures, states and records.
    DataQuery,
    /// Something to be found in texts.
    Search,
    /// Something outside the workspace: marketplace, connected apps, services.
    External,
    /// Something made, changed, started or removed.
    Creation,
    /// Several things at once, or one after another.
    MultiStep,
}

impl Intent {
    /// Every intent.
    pub const ALL: &'static [Self] = &[
        Self::Greeting,
        Self::Chitchat,
        Self::MemoryRecall,
        Self::Factual,
        Self::DataQuery,
        Self::Search,
        Self::External,
        Self::Creation,
        Self::MultiStep,
    ];

    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Greeting => "greeting",
            Self::Chitchat => "chitchat",
            Self::MemoryRecall => "memory_recall",
            Self::Factual => "factual",
            Self::DataQuery => "data_query",
            Self::Search => "search",
            Self::External => "external",
            Self::Creation => "creation",
            Self::MultiStep => "multi_step",
        }
    }

    /// The categories that serve it when the text names none itself. Administration is in no tool list.
    pub const fn categories(self) -> &'static [Category] {
        match self {
            Self::Greeting | Self::Chitchat => &[],
            Self::MemoryRecall => &[Category::Memory, Category::Chat, Category::Field],
            Self::Factual => {
                &[Category::Documents, Category::Memory, Category::Workspace, Category::Discovery]
            }
            Self::DataQuery => &[
                Category::Analytics,
                Category::Data,
                Category::Tasks,
                Category::Reports,
                Category::Infrastructure,
            ],
            Self::Search => &[Category::Documents, Category::Memory, Category::Chat, Category::Discovery],
            Self::External => &[Category::Marketplace, Category::Integrations, Category::Infrastructure],
            Self::Creation => &[
                Category::Agents,
                Category::Playbooks,
                Category::Tasks,
                Category::Governance,
                Category::Scheduling,
                Category::Missions,
            ],
            Self::MultiStep => &[
                Category::Missions,
                Category::Playbooks,
                Category::Tasks,
                Category::Scheduling,
                Category::Field,
            ],
        }
    }
}
