//! Renders the catalogue for a system prompt: Markdown with one line per action.

use std::fmt::Write as _;

use crate::{
    ActionMeta, Category, ConfirmationLevel, DISPATCHER, Dispatcher, FIND_TOOLS, PREFIX, TOOLS_DISPATCHER,
    schema::{properties_of, required_of},
};

const EXAMPLE_INTRO: &str = "For example: ";
/// Parameters of every list action. The lines omit them.
const PAGING: [&str; 2] = ["limit", "cursor"];
/// The maximum length of an action's description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 90;
/// The most declared tools in the text. Beyond, models search for them.
const MAX_DECLARED_TOOLS: usize = 200;
const PERMISSIONS: &str = "The system checks permissions on every call; you need not. If an answer says \"Permission denied\", say so kindly, don't try another way round, and offer what is possible instead. If one says that a person must approve, tell the user and don't repeat the call.";

/// Renders the catalogue. `direct` are the actions with tools of their own, listed first if
/// `include_promoted`. `behind` are the actions behind the dispatchers: the platform's by category, then the
/// workspace's declared tools.
pub fn prompt(direct: &[&ActionMeta], behind: &[&ActionMeta], include_promoted: bool) -> String {
    let mut out = String::from("# Platform actions\n");
    if include_promoted && !direct.is_empty() {
        let how = format!("These have tools of their own. Call them by name, not through `{DISPATCHER}`.");
        section(&mut out, "Direct tools", &how);
        for meta in direct {
            line(&mut out, meta, &meta.spec.name);
        }
    }
    let (platform, declared): (Vec<&ActionMeta>, Vec<&ActionMeta>) =
        behind.iter().partition(|meta| Dispatcher::of_action(&meta.spec.name) == Dispatcher::Platform);
    if let Some(first) = platform.first() {
        section(&mut out, &format!("Through `{DISPATCHER}`"), &how_to_dispatch());
        example(&mut out, first);
        by_category(&mut out, &platform);
    }
    if let Some(first) = declared.first() {
        section(&mut out, &format!("Through `{TOOLS_DISPATCHER}`"), &how_to_call_declared(declared.len()));
        example(&mut out, first);
        for meta in declared.iter().take(MAX_DECLARED_TOOLS) {
            line(&mut out, meta, &meta.spec.name);
        }
    }
    section(&mut out, "Permissions", PERMISSIONS);
    out
}

fn how_to_dispatch() -> String {
    format!(
        "Everything below runs through the tool `{DISPATCHER}`: `action` is the name with the prefix `{PREFIX}`, \
        `params` an object with its parameters. `?` marks optional parameters, `*` actions that wait for a person's \
        approval. Lists also take `limit` and `cursor`."
    )
}

fn how_to_call_declared(count: usize) -> String {
    let more = match count.checked_sub(MAX_DECLARED_TOOLS) {
        Some(more @ 1..) => format!(" `{FIND_TOOLS}` finds {more} more."),
        _ => String::new(),
    };
    format!(
        "These tools of this workspace run through the tool `{TOOLS_DISPATCHER}`: `action` is the full name, `params` an \
        object with its parameters.{more}"
    )
}

fn example(out: &mut String, meta: &ActionMeta) {
    // Writing into a string can't fail.
    let _ = writeln!(out, "{EXAMPLE_INTRO}`{{\"action\": \"{}\", \"params\": {{…}}}}`", meta.spec.name);
}

fn section(out: &mut String, heading: &str, text: &str) {
    let _ = write!(out, "\n## {heading}\n{text}\n");
}

fn by_category(out: &mut String, metas: &[&ActionMeta]) {
    let mut packs: Vec<Category> = metas.iter().map(|meta| meta.spec.category).collect();
    packs.retain(|category| category.pack().is_some());
    packs.dedup();
    for category in Category::ALL.iter().copied().chain(packs) {
        let mut inside = metas.iter().filter(|meta| meta.spec.category == category).peekable();
        if inside.peek().is_some() {
            let _ = writeln!(out, "\n### {}", category.title());
        }
        for meta in inside {
            line(out, meta, meta.spec.short_name());
        }
    }
}

/// Writes a line such as `- create_task(title, description, priority?): Create a task on the board`. Omits
/// the types of parameters, which the tool list contains already.
fn line(out: &mut String, meta: &ActionMeta, name: &str) {
    let schema = meta.input.read();
    let required: Vec<&str> = required_of(&schema).collect();
    let names = properties_of(&schema).map(|(name, _)| name).filter(|name| !PAGING.contains(name));
    let shown = names.map(|name| if required.contains(&name) { name.to_owned() } else { format!("{name}?") });
    let parameters = shown.collect::<Vec<_>>().join(", ");
    let star = if meta.spec.confirmation == ConfirmationLevel::None { "" } else { "*" };
    let what = first_sentence(&meta.spec.description);
    let _ = writeln!(out, "- {name}({parameters}){star}: {what}");
}

/// Returns the first sentence of a description without its full stop, cut to a few words if it is long.
pub fn first_sentence(text: &str) -> String {
    let first = text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.');
    if first.chars().count() <= MAX_DESCRIPTION_CHARS {
        return first.to_owned();
    }
    let cut: String = first.chars().take(MAX_DESCRIPTION_CHARS).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{}…", whole.trim_end_matches([',', ';', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::test_actions;

    #[test]
    fn the_catalogue_is_by_category_with_a_section_on_permissions_last() {
        let metas = test_actions::all();
        let (direct, behind): (Vec<&ActionMeta>, Vec<_>) = metas.iter().partition(|meta| meta.spec.promoted);
        let text = prompt(&direct, &behind, false);
        assert!(text.contains("### Tasks\n- create_task(title, description, priority?, tags?): Create a task on the board\n- list_tasks("));
        assert!(text.contains("- delete_agent(agent)*: Delete an agent\n"));
        assert!(text.contains("`{\"action\": \"platform_create_task\", \"params\": {…}}`"));
        assert!(!text.contains("create_agent") && !text.contains("Direct tools"));
        assert!(text.trim_end().ends_with(PERMISSIONS) && text.contains("Permission denied"));
        // The categories have the order of the catalogue, whatever the order of the list.
        assert!(text.find("### Agents") < text.find("### Playbooks"));
    }

    #[test]
    fn direct_tools_come_before_when_asked_for() {
        let metas = test_actions::all();
        let (direct, behind): (Vec<&ActionMeta>, Vec<_>) = metas.iter().partition(|meta| meta.spec.promoted);
        let text = prompt(&direct, &behind, true);
        assert!(text.contains("- platform_create_agent(name, temperature?, schedule?): Create an agent\n"));
        assert!(text.find("## Direct tools") < text.find("## Through"));
        let alone = prompt(&direct, &[], true);
        assert!(!alone.contains("platform_execute`: `action`") && alone.contains("## Permissions"));
        assert!(!prompt(&[], &behind, true).contains("Direct tools"));
    }

    #[test]
    fn declared_tools_are_behind_their_own_dispatcher() {
        let mut metas = test_actions::all();
        metas.push(test_actions::declared("desk__get_ticket"));
        let text = prompt(&[], &metas.iter().collect::<Vec<_>>(), true);
        let through = text.find("## Through `tools_execute`").unwrap();
        assert!(text.find("- desk__get_ticket(id): One ticket of the desk\n").unwrap() > through);
        assert!(text.find("## Permissions").unwrap() > through && !text.contains("finds"));
        let many: Vec<ActionMeta> =
            (0..205).map(|n| test_actions::declared(&format!("desk__tool_{n}"))).collect();
        let text = prompt(&[], &many.iter().collect::<Vec<_>>(), true);
        assert!(text.contains("finds 5 more") && !text.contains("desk__tool_200"));
    }

    #[test]
    fn ninety_one_actions_stay_small() {
        let meta = test_actions::create_task();
        let text = prompt(&[], &vec![&meta; 91], true);
        assert!(text.len() / 4 < 3_500, "{} bytes", text.len());
    }

    #[test]
    fn long_descriptions_are_cut_at_a_word() {
        assert_eq!(first_sentence("List agents. With counts."), "List agents");
        let long = first_sentence(&"word ".repeat(40));
        assert!(long.ends_with("word…") && long.chars().count() <= MAX_DESCRIPTION_CHARS + 1);
    }
}
