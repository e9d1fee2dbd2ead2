//! What the registry knows of a pack: compiled actions that are not the platform's own.

use crate::{Permission, Verb};

const MAX_SLUG_LEN: usize = 20;
/// Slugs that mean something else in names and scopes, beside the platform's resources. `events:read` is a special
/// scope.
const RESERVED_SLUGS: [&str; 5] = ["events", "packs", "platform", "toolcrib", "tools"];

/// The identity of a pack. All its actions have the category `Category::Pack` with it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackInfo {
    /// 2 to 20 lower-case letters and digits, the first a letter. Actions are named `<slug>_<verb>_<noun>`, tables
    /// `<slug>_…`, events `<slug>.…`, and it is the resource of the permissions.
    pub slug: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What the pack is for, in one sentence.
    pub description: &'static str,
    /// Kinds of texts that other people wrote, for the keyword `x-untrusted` in output schemas.
    pub sources: &'static [&'static str],
    /// The names of the events that the pack emits, sorted.
    pub events: &'static [&'static str],
}

impl PackInfo {
    /// Returns the permissions for the pack's actions: `read` for viewers, `use` for members, `manage` for editors and
    /// `delete` for admins.
    pub const fn permissions(&self) -> [Permission; 4] {
        let slug = self.slug;
        [
            Permission::of_pack(slug, Verb::Read),
            Permission::of_pack(slug, Verb::Use),
            Permission::of_pack(slug, Verb::Manage),
            Permission::of_pack(slug, Verb::Delete),
        ]
    }

    /// Returns the name of an action without the slug, if it has it.
    pub fn bare<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_prefix(self.slug)?.strip_prefix('_').filter(|bare| !bare.is_empty())
    }

    /// Returns what is wrong with the pack's own words.
    pub(crate) fn defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        if !is_pack_slug(self.slug) {
            defects.push(format!(
                "a pack's slug is 2 to {MAX_SLUG_LEN} lower-case letters and digits, the first a letter"
            ));
        }
        if is_reserved_slug(self.slug) {
            defects.push(format!("`{}` is reserved; a pack needs another slug", self.slug));
        }
        if self.title.is_empty() || self.description.is_empty() {
            defects.push("a pack has a title and a description".to_owned());
        }
        let own = |event: &&&str| !event.strip_prefix(self.slug).is_some_and(|rest| rest.starts_with('.'));
        if let Some(event) = self.events.iter().find(own) {
            defects.push(format!("the event `{event}` must begin with `{}.`", self.slug));
        }
        if !self.events.is_sorted() {
            defects.push("the pack's events are not sorted".to_owned());
        }
        defects
    }
}

/// Returns whether a slug means something else in names or scopes, so that no pack and no toolset may have it.
pub fn is_reserved_slug(slug: &str) -> bool {
    RESERVED_SLUGS.contains(&slug) || Permission::ALL.iter().any(|known| known.resource.as_str() == slug)
}

pub fn is_pack_slug(word: &str) -> bool {
    (2..=MAX_SLUG_LEN).contains(&word.len())
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}
