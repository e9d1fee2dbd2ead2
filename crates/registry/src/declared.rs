//! The declared tools of a workspace, beside the compiled actions.

use std::{collections::HashMap, sync::Arc};

use indexmap::IndexMap;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::{ActionMeta, digest::digest, names::SEPARATOR, spelling::snake};

/// The declared tools of one workspace, in the order of its toolsets. Immutable.
#[derive(Debug, Default)]
pub struct DeclaredTools {
    tools: IndexMap<Arc<str>, Arc<ActionMeta>>,
    /// For each tool its names in snake case.
    spellings: Vec<Spelling>,
    /// The tool of each name in snake case; `None` for a name that several tools share.
    by_spelling: HashMap<String, Option<usize>>,
    version: String,
}

/// The names of a declared tool in snake case.
#[derive(Debug)]
pub struct Spelling {
    /// With the slug.
    pub full: String,
    /// Without the slug.
    pub bare: String,
}

impl DeclaredTools {
    /// Makes the list. Of tools with the same full name, the first counts.
    pub fn new(metas: impl IntoIterator<Item = Arc<ActionMeta>>) -> Self {
        let mut tools = IndexMap::new();
        for meta in metas {
            tools.entry(meta.spec.name.clone()).or_insert(meta);
        }
        let spellings: Vec<Spelling> = tools.keys().map(|name| Spelling::of(name, false)).collect();
        let mut by_spelling = HashMap::new();
        for (at, name) in tools.keys().enumerate() {
            for acronyms in [false, true] {
                let Spelling { full, bare } = Spelling::of(name, acronyms);
                for text in [full, bare] {
                    let known = by_spelling.entry(text).or_insert(Some(at));
                    if *known != Some(at) {
                        *known = None;
                    }
                }
            }
        }
        let version = version(tools.values());
        Self { tools, spellings, by_spelling, version }
    }

    /// Returns the tool with this full name.
    pub fn get(&self, name: &str) -> Option<&Arc<ActionMeta>> {
        self.tools.get(name)
    }

    /// Returns the tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ActionMeta>> {
        self.tools.values()
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub fn len(&self) -> usize {
        self.tools.len()
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.tools.get_index_of(name)
    }

    /// Returns the version: a digest that changes whenever a name, flag, state, description or schema does. Empty
    /// without tools.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns whether `name` begins with the slug of one of the toolsets.
    pub fn has_slug_of(&self, name: &str) -> bool {
        let Some((slug, _)) = name.split_once(SEPARATOR) else { return false };
        let of = |full: &Arc<str>| {
            full.split_once(SEPARATOR).is_some_and(|(own, _)| own.eq_ignore_ascii_case(slug))
        };
        self.tools.keys().any(of)
    }

    /// Returns the one tool whose name is `text`, which is in snake case, with its slug or without.
    pub(crate) fn spelled(&self, text: &str) -> Option<&Arc<ActionMeta>> {
        let at = (*self.by_spelling.get(text)?)?;
        self.tools.get_index(at).map(|(_, meta)| meta)
    }

    /// Returns each tool with its names in snake case.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = (&Spelling, &Arc<ActionMeta>)> {
        self.spellings.iter().zip(self.tools.values())
    }
}

impl Spelling {
    fn of(name: &str, acronyms: bool) -> Self {
        let bare = name.split_once(SEPARATOR).map_or(name, |(_, bare)| bare);
        Self { full: snake(name, acronyms), bare: snake(bare, acronyms) }
    }
}

/// Everything that a list, a search or a decision shows of the tools.
fn version<'a>(metas: impl ExactSizeIterator<Item = &'a Arc<ActionMeta>>) -> String {
    if metas.len() == 0 {
        return String::new();
    }
    // One tool after another, since all of them in one value would take more memory than the tools.
    let mut all = Sha256::new();
    for meta in metas {
        let spec = &meta.spec;
        let access = spec.accessible_by.as_ref().map(|rule| format!("{rule:?}"));
        let flags = json!([spec.promoted, spec.state.as_str(), spec.min_role, access, spec.confirmation]);
        let texts = json!([spec.name, spec.description, spec.tags, spec.examples]);
        all.update(digest(&json!([texts, flags, spec.level, meta.input.digest()])));
    }
    hex::encode(all.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::test_actions::declared;

    fn tools(names: &[&str]) -> DeclaredTools {
        DeclaredTools::new(names.iter().map(|name| Arc::new(declared(name))))
    }

    fn spelled(tools: &DeclaredTools, text: &str) -> Option<String> {
        tools.spelled(text).map(|meta| meta.spec.name.to_string())
    }

    #[test]
    fn a_tool_is_found_by_its_spellings_with_slug_and_without() {
        let tools = tools(&["desk__getTicket", "desk__readYAMLFiles", "files__syntax-checker"]);
        for (text, name) in [
            ("desk_get_ticket", "desk__getTicket"),
            ("get_ticket", "desk__getTicket"),
            ("read_yaml_files", "desk__readYAMLFiles"),
            ("read_yamlfiles", "desk__readYAMLFiles"),
            ("syntax_checker", "files__syntax-checker"),
        ] {
            assert_eq!(spelled(&tools, text).as_deref(), Some(name), "{text}");
        }
        assert_eq!(spelled(&tools, "ticket"), None);
    }

    #[test]
    fn a_name_of_two_tools_is_none_of_them() {
        let tools = tools(&["desk__send", "mail__send"]);
        assert_eq!(spelled(&tools, "send"), None);
        assert_eq!(spelled(&tools, "mail_send").as_deref(), Some("mail__send"));
    }

    #[test]
    fn slugs_are_compared_without_regard_to_case() {
        let tools = tools(&["desk__send"]);
        assert!(tools.has_slug_of("Desk__anything"));
        assert!(!tools.has_slug_of("desk_send") && !tools.has_slug_of("mail__send"));
    }

    #[test]
    fn the_version_follows_what_callers_see() {
        let first = tools(&["desk__send"]);
        assert_eq!(first.version(), tools(&["desk__send"]).version());
        assert_ne!(first.version(), tools(&["desk__sent"]).version());
        let mut off = declared("desk__send");
        off.spec.state = crate::ToolState::Disabled;
        assert_ne!(first.version(), DeclaredTools::new([Arc::new(off)]).version());
        assert_eq!(tools(&[]).version(), "");
    }
}
