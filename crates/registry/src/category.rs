//! The categories of the catalogue.

use serde::{Serialize, Serializer};

use crate::{PREFIX, PackInfo};

macro_rules! categories {
    ($($name:ident = $word:literal, $title:literal;)+) => {
        /// A category of the catalogue.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Category {
            $(#[doc = $title] $name,)+
            /// The tools that a team declares. Not a category of the catalogue.
            Toolset,
            /// The actions of a pack.
            Pack(&'static PackInfo),
        }

        impl Category {
            /// Every category of the platform's own actions, in the order of the catalogue.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the category as the API writes it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                    Self::Toolset => "toolset",
                    Self::Pack(pack) => pack.slug,
                }
            }

            /// Returns the heading for people.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$name => $title,)+
                    Self::Toolset => "Toolset",
                    Self::Pack(pack) => pack.title,
                }
            }

            /// Returns the pack whose actions have this category.
            pub const fn pack(self) -> Option<&'static PackInfo> {
                match self { Self::Pack(pack) => Some(pack), _ => None }
            }
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

impl Category {
    /// Returns the name of a compiled action of this category without the prefix of the platform or of its pack.
    pub fn bare(self, name: &str) -> &str {
        let bare = match self {
            Self::Pack(pack) => pack.bare(name),
            _ => name.strip_prefix(PREFIX),
        };
        bare.unwrap_or(name)
    }
}

impl Serialize for Category {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
