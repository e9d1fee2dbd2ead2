//! The intents and the categories that serve each.

use toolcrib_registry::Category;

/// What the user of a text wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intent {
    Greeting,
    /// Thanks, jokes, feelings: nothing that an action serves.
    Chitchat,
    /// Recall something said, noted or agreed before.
    MemoryRecall,
    /// Look up one fact.
    Factual,
    /// Read figures, states and records.
    DataQuery,
    /// Find something in texts.
    Search,
    /// Use something outside the workspace: marketplace, connected apps, services.
    External,
    /// Create, change, start or remove something.
    Creation,
    /// Do several things, together or one after another.
    MultiStep,
}

impl Intent {
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

    /// Returns the categories that serve the intent if the text names none. Never contains administration,
    /// which is not in tool lists.
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
