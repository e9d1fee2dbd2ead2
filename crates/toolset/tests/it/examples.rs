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

/// The callers of `srs-writer.toml`: six types, three agents, and one that nothing is for.
const CALLERS: [(&str, &str, Option<&str>); 10] = [
    ("TE", "orchestrator:TOOL_EXECUTION", None),
    ("QA", "orchestrator:KNOWLEDGE_QA", None),
    ("SC", "specialist:content", None),
    ("SP", "specialist:process", None),
    ("DO", "document", None),
    ("IN", "internal", None),
    ("project_initializer", "mission", Some("project-initializer")),
    ("prototype_designer", "mission", Some("prototype-designer")),
    ("document_formatter", "mission", Some("document-formatter")),
    ("nobody", "chat", None),
];

/// Who reaches which tools: `r` read, `w` write, `D` destructive; `+` asks a person.
const TABLE: &str = "
    TE QA SC SP DO: r readTextFile, r readMarkdownFile, r readYAMLFiles
    QA SC SP DO: r listFiles
    TE QA SC: r findInFiles
    TE SC SP: r customRAGRetrieval
    SC SP DO: w executeMarkdownEdits, w executeYAMLEdits
    SC SP: w recordThought, r taskComplete
    TE QA: r enterpriseRAGCall, r finalAnswer, r getSystemStatus
    QA DO: r getActiveDocumentContent, r showInformationMessage, r showWarningMessage
    QA SP: r askQuestion, r suggestNextAction
    QA: r readLocalKnowledge
    SP DO: w+ writeFile
    DO: w+ appendTextToFile, r openAndShowFile, w findAndReplace, w replaceInSelection
    IN: D+ deleteFile, w+ moveAndRenameFile
    IN project_initializer: w+ createDirectory, w+ copyAndRenameFile
    project_initializer: w createNewProjectFolder
    prototype_designer: w executeTextFileEdits
    document_formatter: r syntax-checker, w traceability-completion-tool
    : r internetSearch";

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
    let mut reached = [0; CALLERS.len()];
    let mut seen = 0;
    for line in TABLE.lines().filter(|line| line.contains(':')) {
        let (callers, tools) = line.split_once(':').unwrap();
        let callers: Vec<&str> = callers.split_whitespace().collect();
        for tool in tools.split(',') {
            let (word, name) = tool.trim().split_once(' ').unwrap();
            let tool =
                toolset.tools.iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(tool.level, level(word), "{name}");
            assert_eq!(tool.confirmation != ConfirmationLevel::None, word.ends_with('+'), "{name}");
            assert!(is_client_run(tool) && !tool.draft, "{name}");
            for (at, (caller, caller_type, caller_name)) in CALLERS.iter().enumerate() {
                let admits = tool.access.admits(caller_type, *caller_name);
                assert_eq!(admits, callers.contains(caller), "{name}: {caller}");
                reached[at] += usize::from(admits);
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 33);
    assert_eq!(reached, [8, 14, 10, 12, 14, 4, 3, 1, 2, 0]);
}

#[test]
fn the_matrix_of_srs_writer_counts_the_same() {
    let matrix = matrix(&example("srs-writer.toml"));
    let by_caller: Vec<(&MatrixCaller, usize)> = matrix.callers.iter().zip(matrix.totals()).collect();
    for (_, caller_type, name) in &CALLERS[..9] {
        let caller = match name {
            Some(name) => MatrixCaller::Name((*name).to_owned()),
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

#[test]
fn the_document_of_the_page_has_no_defects() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/toolsets.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, block) = page.split_once("```toml\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    assert_eq!(checked(&parse(block, DocumentFormat::Toml).unwrap()).tools.len(), 1);
}

#[test]
fn the_examples_need_no_change_but_closing() {
    for name in ["srs-writer.toml", "orion.toml"] {
        let notes = example(name).notes;
        let changes = [NoteKind::StringBounded, NoteKind::ListBounded, NoteKind::TypeAdded];
        let found: Vec<_> = notes.iter().filter(|note| changes.contains(&note.kind)).collect();
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}
