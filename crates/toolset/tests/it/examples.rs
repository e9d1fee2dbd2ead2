//! The example documents, against the tables that they were written from.

use std::{fs, path::Path};

use toolcrib_registry::{ConfirmationLevel, Level};
use toolcrib_toolset::{
    CheckedTool, CheckedToolset, DocumentFormat, MatrixCaller, NoteKind, ToolExecutor, matrix, parse,
};

use crate::support::checked;

fn example(name: &str) -> CheckedToolset {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/toolsets").join(name);
    let text = fs::read_to_string(path).unwrap();
    checked(&parse(&text, DocumentFormat::Toml).unwrap())
}

/// The table of callers and tools, which the tests of the API read too.
const TABLE: &str = include_str!("../../../../tests/data/srs_writer_access.txt");

/// The lines of the table, as words. Callers begin with `caller`.
fn table(callers: bool) -> Vec<Vec<&'static str>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| (words[0] == "caller") == callers).collect()
}

/// The callers of `srs-writer.toml`: label, caller type, and the slug of the agent.
fn callers() -> Vec<(&'static str, &'static str, Option<String>)> {
    let slug = |name: &str| (name != "-").then(|| name.replace('_', "-"));
    table(true).iter().map(|words| (words[1], words[2], slug(words[3]))).collect()
}

fn level(word: &str) -> Level {
    match word.trim_end_matches('+') {
        "r" => Level::Read,
        "w" => Level::Write,
        _ => Level::Destructive,
    }
}

fn is_client_run(tool: &CheckedTool) -> bool {
    matches!(tool.executor, ToolExecutor::Client { .. })
}

#[test]
fn srs_writer_is_the_table() {
    let toolset = example("srs-writer.toml");
    assert_eq!((&*toolset.slug, toolset.tools.len()), ("srs-writer", 33));
    let callers = callers();
    let mut reached = [0; 10];
    for row in table(false) {
        let (word, name, reaching) = (row[0], row[1], &row[2..]);
        let tool = toolset.tools.iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(tool.level, level(word), "{name}");
        assert_eq!(tool.confirmation != ConfirmationLevel::None, word.ends_with('+'), "{name}");
        assert!(is_client_run(tool) && !tool.draft, "{name}");
        for ((caller, caller_type, slug), reached) in callers.iter().zip(&mut reached) {
            let admits = tool.access.admits(caller_type, slug.as_deref());
            assert_eq!(admits, reaching.contains(caller), "{name}: {caller}");
            *reached += usize::from(admits);
        }
    }
    assert_eq!((table(false).len(), callers.len()), (33, 10));
    assert_eq!(reached, [8, 14, 10, 12, 14, 4, 3, 1, 2, 0]);
}

#[test]
fn the_matrix_of_srs_writer_counts_the_same() {
    let matrix = matrix(&example("srs-writer.toml"));
    let by_caller: Vec<(&MatrixCaller, usize)> = matrix.callers.iter().zip(matrix.totals()).collect();
    for (_, caller_type, slug) in &callers()[..9] {
        let caller = match slug {
            Some(slug) => MatrixCaller::Name(slug.clone()),
            None => MatrixCaller::Type((*caller_type).to_owned()),
        };
        assert!(by_caller.iter().any(|(known, total)| **known == caller && *total > 0), "{caller:?}");
    }
    assert_eq!(by_caller.last(), Some(&(&MatrixCaller::Other, 0)));
    assert_eq!(matrix.totals(), [8, 14, 10, 12, 14, 4, 3, 1, 2, 0]);
    let text = matrix.to_markdown();
    assert!(
        text.contains("| `srs-writer__deleteFile` | destructive | typed |  |  |  |  |  | admin |"),
        "{text}"
    );
}

#[test]
fn the_matrix_of_one_tool_says_so() {
    let text = matrix(&example("brave.toml")).to_markdown();
    assert!(text.contains("\n| 1 tool | | | "), "{text}");
}

#[test]
fn orion_has_fifteen_decisions() {
    let toolset = example("orion.toml");
    let named = |level: Level, confirmation: ConfirmationLevel| -> Vec<&str> {
        let tools = toolset.tools.iter();
        let tools = tools.filter(|tool| tool.level == level && tool.confirmation == confirmation);
        tools.map(|tool| tool.name.as_str()).collect()
    };
    let read = "get_emails get_calendar_events search_contacts get_preferences list_tasks fetch_project";
    assert_eq!(named(Level::Read, ConfirmationLevel::None).join(" "), read);
    let write = "send_email create_event update_contact create_task update_project";
    assert_eq!(named(Level::Write, ConfirmationLevel::Simple).join(" "), write);
    let destructive = "delete_email cancel_event delete_contact archive_project";
    assert_eq!(named(Level::Destructive, ConfirmationLevel::Typed).join(" "), destructive);
    assert!(toolset.tools.iter().all(is_client_run));
    assert_eq!(toolset.tools.len(), 15);
}

#[test]
fn each_destructive_tool_of_orion_has_its_warning() {
    let toolset = example("orion.toml");
    for (name, warning) in [
        ("delete_email", "This will permanently delete the email. This action cannot be undone."),
        ("cancel_event", "This will cancel the event and notify all attendees."),
        ("delete_contact", "This will remove the contact and all associated interaction history."),
        ("archive_project", "This will archive the project. It can be restored from the Archive."),
    ] {
        let tool = toolset.tool(&format!("orion__{name}")).unwrap();
        assert_eq!(tool.warning.as_deref(), Some(warning));
    }
}

/// The names of the tools with this level and this confirmation.
fn decided(toolset: &CheckedToolset, level: Level, confirmation: ConfirmationLevel) -> String {
    let tools = toolset.tools.iter().filter(|tool| tool.level == level && tool.confirmation == confirmation);
    tools.map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn github_has_twelve_decisions_and_asks_about_targets() {
    let toolset = example("github.toml");
    let decided = |level, confirmation| decided(&toolset, level, confirmation);
    let read = "list_issues get_issue list_issue_comments list_pull_requests get_pull_request";
    assert_eq!(decided(Level::Read, ConfirmationLevel::None), read);
    let write = "create_issue update_issue add_comment create_branch";
    assert_eq!(decided(Level::Write, ConfirmationLevel::None), write);
    assert_eq!(decided(Level::Write, ConfirmationLevel::Simple), "close_issue");
    let destructive = "merge_pull_request delete_branch";
    assert_eq!(decided(Level::Destructive, ConfirmationLevel::Typed), destructive);
    assert_eq!(toolset.tools.len(), 12);
    for tool in &toolset.tools {
        let ToolExecutor::Http(mapping) = &tool.executor else { panic!("{}", tool.name) };
        let version = mapping.target.as_ref().and_then(|target| target.version.as_ref());
        assert_eq!(version.is_some(), tool.confirmation != ConfirmationLevel::None, "{}", tool.name);
        let headers = mapping.headers.as_ref().unwrap();
        assert_eq!(headers["X-GitHub-Api-Version"], "2022-11-28", "{}", tool.name);
        assert_eq!(mapping.idempotency_header, None, "GitHub has none");
    }
}

#[test]
fn brave_is_one_read() {
    let toolset = example("brave.toml");
    assert_eq!(decided(&toolset, Level::Read, ConfirmationLevel::None), "web_search");
    assert_eq!(toolset.tools.len(), 1);
}

#[test]
fn a_branch_that_is_deleted_has_no_slash() {
    let toolset = example("github.toml");
    let pattern = |tool: &str| {
        let parameters = &toolset.tool(&format!("github__{tool}")).unwrap().parameters;
        parameters["properties"]["branch"]["pattern"].as_str().unwrap().to_owned()
    };
    assert!(pattern("create_branch").contains('/'));
    assert!(!pattern("delete_branch").contains('/'));
}

#[test]
fn the_document_of_the_page_has_no_defects() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/toolset-document.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, block) = page.split_once("```toml\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    assert_eq!(checked(&parse(block, DocumentFormat::Toml).unwrap()).tools.len(), 1);
}

#[test]
fn the_examples_need_no_change_but_closing() {
    for name in ["srs-writer.toml", "orion.toml", "brave.toml", "github.toml"] {
        let notes = example(name).notes;
        let changes = [NoteKind::StringBounded, NoteKind::ListBounded, NoteKind::TypeAdded];
        let found: Vec<_> = notes.iter().filter(|note| changes.contains(&note.kind)).collect();
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn the_examples_are_written_as_they_are_read() {
    for name in ["srs-writer.toml", "orion.toml", "brave.toml", "github.toml"] {
        let toolset = example(name);
        let text = toolset.document.to_toml().unwrap();
        assert!(!text.contains("$serde_json") && text.contains("\nmaxLength = "), "{name}: {text}");
        assert_eq!(parse(&text, DocumentFormat::Toml).unwrap(), toolset.to_json(), "{name}");
    }
}
