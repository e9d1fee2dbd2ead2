//! The output of `serve --demo`: the credentials, and commands to paste into a shell.

use std::{fmt::Write as _, path::Path};

use toolcrib_console::DemoPerson;

use super::credentials::{Demo, FILE};

/// Returns the credentials and the commands. The commands need only `curl`, `grep` and `sed`. The first one
/// reads the token of the owner into a variable, which the others use. They work in the given order.
pub fn text(demo: &Demo, people: &[DemoPerson], folder: &Path) -> String {
    let mut out = String::from("\nDemo credentials, each for `Authorization: Bearer …`:\n");
    let Some(first) = demo.workspaces.first() else { return out };
    for workspace in &demo.workspaces {
        // Writing into a string can't fail.
        let _ = writeln!(out, "\n  workspace `{}`  {}", workspace.name, workspace.id);
        let members = workspace.members();
        let shown = if workspace.id == first.id { &members[..] } else { &members[..1] };
        for (role, user) in shown {
            let _ = writeln!(out, "  {:8} {}", role.as_str(), user.token);
        }
        let person = people.iter().find(|person| person.user_id == workspace.owner.user_id);
        for pack in person.into_iter().flat_map(|person| &person.packs) {
            let _ = writeln!(out, "  The pack {pack} is on here, with data to look at.");
        }
        if workspace.id == first.id {
            let _ = writeln!(out, "  agent    {}", workspace.agent.key);
            let _ = writeln!(out, "  service  {}", workspace.service.key);
        }
    }
    let _ = writeln!(out, "\n  system admin  {}", demo.system_admin.token);
    let file = folder.join(FILE);
    let file = std::path::absolute(&file).unwrap_or(file);
    let _ = writeln!(out, "\nThe same is in {}. Try, in order:", file.display());
    let _ = writeln!(out, "\n# the token of the owner\nTOKEN=$({})", first_token(&file));
    for (title, line) in commands(demo) {
        let _ = writeln!(out, "\n# {title}\n{line}");
    }
    out.push('\n');
    out
}

/// Returns the command that prints the first token of the file.
fn first_token(file: &Path) -> String {
    let quoted = file.display().to_string().replace('\'', "'\\''");
    format!("grep -m 1 '\"token\"' '{quoted}' | sed 's/.*: \"//; s/\".*//'")
}

/// Returns titles and shell commands.
fn commands(demo: &Demo) -> Vec<(&'static str, String)> {
    let Some(first) = demo.workspaces.first() else { return Vec::new() };
    let base = &demo.base_url;
    let curl = format!("curl -fsS -H \"Authorization: Bearer $TOKEN\" -H 'X-Workspace-Id: {}'", first.id);
    let post = format!("{curl} -H 'Content-Type: application/json'");
    let act = |name: &str, body: &str| format!("{post} {base}/v1/actions/{name} -d '{body}'");
    // The newest confirmation is the one of the previous command, in any status.
    let newest = format!(
        "$({curl} '{base}/v1/confirmations?mine=true&limit=1' | sed 's/.*\"items\":\\[{{\"id\":\"\\([^\"]*\\)\".*/\\1/')"
    );
    let approve = |body: &str| format!("{post} {base}/v1/confirmations/{newest}/approve -d '{body}'");
    vec![
        ("the tools that a model is given", format!("{curl} '{base}/v1/tools?format=openai'")),
        ("a read", act("platform_list_agents", "{\"limit\": 3}")),
        (
            "a write",
            act("platform_create_agent", &format!("{{\"name\": \"{HELPER}\", \"role\": \"worker\"}}")),
        ),
        (
            "something destructive: it waits for a human",
            act("platform_delete_agent", &format!("{{\"agent\": \"{HELPER}\"}}")),
        ),
        ("approve it: the answer names the phrase to type", approve("{}")),
        ("type the phrase: now it runs", approve(&format!("{{\"phrase\": \"{HELPER}\"}}"))),
    ]
}

/// The agent that the commands create and delete.
const HELPER: &str = "Try Out";
