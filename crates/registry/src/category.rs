//! The categories of the catalogue.

use serde::Serialize;

macro_rules! categories {
    ($($name:ident = $word:literal, $title:literal;)+) => {
        /// A category of the catalogue.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Category {
            $(#[doc = $title] $name,)+
            /// The tools that a team declares. Not a category of the catalogue.
            Toolset,
        }

        impl Category {
            /// Every category of the catalogue, in its order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the category as the API writes it.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $word,)+ Self::Toolset => "toolset" } }

            /// Returns the heading for people.
            pub const fn title(self) -> &'static str { match self { $(Self::$name => $title,)+ Self::Toolset => "Toolset" } }
        }
    };
}

categories! {
    Agents = "agents", "Agents";
    Playbooks = "playbooks", "Playbooks";
    Analytics = "analytics", "Analytics";
    Data = "data", "Data";
    Governance = "governance", "Governance";
    Tasks = "tasks", "Tasks";
    Marketplace = "marketplace", "Marketplace";
    Workspace = "workspace", "Workspace";
    Memory = "memory", "Memory";
    Integrations = "integrations", "Integrations";
    Chat = "chat", "Chat";
    Documents = "documents", "Documents";
    Discovery = "discovery", "Discovery";
    Scheduling = "scheduling", "Scheduling";
    Reports = "reports", "Reports";
    Field = "field", "Field";
    Missions = "missions", "Missions";
    Infrastructure = "infrastructure", "Monitoring and infrastructure";
    Administration = "administration", "Administration";
}
