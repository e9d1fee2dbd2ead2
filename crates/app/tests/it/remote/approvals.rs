//! `approvals …`: what waits is shown, then decided by a person.

use std::process::{Command, Output};

use serde_json::{Value, json};

use super::{Remote, ended, json as parsed};
use crate::api::Api;

/// Runs a command on a terminal and types the answer after the question. Prints what the terminal showed.
const TERMINAL: &str = r#"
import os, pty, sys
question, answer, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
shown = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if question.encode() in shown + part and question.encode() not in shown:
        os.write(terminal, answer.encode())
    shown += part
sys.stdout.write(shown.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

fn on_terminal(remote: &Remote, args: &[&str], typed: (&str, &str), code: i32) -> String {
    ended(typed_on_terminal(&remote.command("owner", args), typed), args, code).0
}

pub fn typed_on_terminal(command: &Command, (question, answer): (&str, &str)) -> Output {
    let mut python = Command::new("python3");
    python.args(["-c", TERMINAL, question, answer]).arg(command.get_program()).args(command.get_args());
    python.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    python.output().unwrap()
}

async fn waiting(api: &Api, action: &str, arguments: &Value) -> String {
    let asked = api.post(&format!("/v1/actions/{action}"), arguments, 202).await;
    asked["confirmation"]["id"].as_str().unwrap().to_owned()
}

async fn tasks(api: &Api) -> String {
    api.post("/v1/actions/platform_list_tasks", &json!({}), 200).await.to_string()
}

pub async fn a_person_decides(remote: &Remote, owner: &Api) {
    who_may_not_decide_is_told_before_they_are_asked(remote, owner).await;
    a_typed_confirmation_needs_its_phrase(remote, owner).await;
    calls_are_listed_shown_approved_and_denied(remote, owner).await;
}

async fn calls_are_listed_shown_approved_and_denied(remote: &Remote, owner: &Api) {
    owner.ok("PATCH", "/v1/settings", Some(&json!({"approval_mode": "confirm_writes"})), 200).await;
    let order = |title: &str| json!({ "title": title, "description": "1,000\u{202e} pieces\n\u{1b}[2J" });
    let one = waiting(owner, "platform_create_task", &order("Order cartons")).await;
    let two = waiting(owner, "platform_create_task", &order("Order paper")).await;

    let listed = remote.ok("owner", &["approvals", "list"]);
    assert!(
        listed.lines().any(|line| line.starts_with(&one) && line.contains("(simple), asked by the user ")),
        "{listed}"
    );
    assert!(remote.ok("owner", &["approvals", "list", "--decidable"]).contains(&two));
    assert!(parsed(&remote.ok("owner", &["approvals", "list", "--json"])).to_string().contains(&one));
    assert!(!remote.ok("viewer", &["approvals", "list"]).contains(&one));
    let shown = remote.ok("owner", &["approvals", "show", &one]);
    for part in [
        "Order cartons",
        "action platform_create_task, asked by the user ",
        "  arguments {\n",
        "1,000\\u{202e}",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown}");
    assert_eq!(parsed(&remote.ok("owner", &["approvals", "show", &one, "--json"]))["id"], one.as_str());

    // On a terminal only yes is yes.
    let approve = ["approvals", "approve", &one];
    for no in ["n\n", "\n", "yes please\n", "\u{4}"] {
        let shown = on_terminal(remote, &approve, ("Approve? [y/N] ", no), 1);
        assert!(shown.ends_with("not approved\r\n") && shown.contains("  arguments {\r\n"), "{shown}");
    }
    let shown = on_terminal(remote, &["approvals", "show", &one, "--json"], ("none", ""), 0);
    assert!(shown.contains("\"1,000\\u{202e} pieces") && !shown.contains('\u{202e}'), "{shown}");

    // Nobody is asked without a terminal, and nothing runs.
    assert!(remote.refused("owner", &["approvals", "approve", &one], 2).contains("needs `--yes`"));
    assert!(!tasks(owner).await.contains("Order cartons"));
    let (printed, shown) = remote.ran("owner", &["approvals", "approve", &one, "--yes"], 0);
    assert!(
        printed.starts_with("approved, completed: ") && shown.contains("  arguments {\n"),
        "{printed}{shown}"
    );
    assert!(tasks(owner).await.contains("Order cartons"));
    let again = remote.ran("owner", &["approvals", "approve", &one, "--yes"], 3).1;
    assert!(again.lines().last().unwrap().contains("you may not decide it: "), "{again}");

    let denied = remote.ok("owner", &["approvals", "deny", &two, "--reason", "we have enough"]);
    assert!(denied.starts_with("denied, denied: "), "{denied}");
    assert_eq!(owner.get(&format!("/v1/confirmations/{two}")).await["reason"], "we have enough");
    assert!(!tasks(owner).await.contains("Order paper"));
    let late = remote.refused("owner", &["approvals", "deny", &two], 3);
    assert!(late.contains("`already_decided`, status 409"), "{late}");
    assert_eq!(remote.ok("owner", &["approvals", "list"]).matches("Order").count(), 0);
    assert!(remote.refused("owner", &["approvals", "show", "none"], 2).contains("status 404"));
}

async fn a_typed_confirmation_needs_its_phrase(remote: &Remote, owner: &Api) {
    let id = waiting(owner, "platform_delete_agent", &json!({ "agent": "Invoice Checker" })).await;
    let approve = ["approvals", "approve", &id, "--yes"];
    let (_, why) = remote.ran("owner", &approve, 2);
    assert!(why.contains("Warning: ") && why.ends_with("a typed confirmation needs `--phrase`\n"), "{why}");
    let (printed, _) = remote.ran("owner", &[&approve[..], &["--phrase", "invoice checker"]].concat(), 1);
    assert_eq!(printed, "");
    assert_eq!(owner.get(&format!("/v1/confirmations/{id}")).await["status"], "pending");
    let question = "Type `Invoice Checker` to approve: ";
    let shown = on_terminal(remote, &approve, (question, "Invoice\n"), 1);
    assert!(shown.ends_with("not approved\r\n"), "{shown}");
    let with = [&approve[..], &["--phrase", "Invoice Checker", "--json"]].concat();
    let (printed, shown) = remote.ran("owner", &with, 0);
    assert_eq!(parsed(&printed)["data"]["deleted"], true, "{printed}");
    assert!(shown.contains("typed, until "), "{shown}");
    assert_eq!(owner.get(&format!("/v1/confirmations/{id}")).await["status"], "executed");
}

async fn who_may_not_decide_is_told_before_they_are_asked(remote: &Remote, owner: &Api) {
    let id = waiting(owner, "platform_delete_agent", &json!({ "agent": "Invoice Checker" })).await;
    // A key never decides, not even that of an agent with every scope.
    let key = remote.workspace()["agent"]["key"].as_str().unwrap().to_owned();
    let output = crate::binary::toolcrib()
        .args(["approvals", "approve", &id, "--yes", "--phrase", "Invoice Checker"])
        .args(["--url", &remote.server.base()])
        .env("TOOLCRIB_TOKEN", &key)
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(2 | 3)), "{}", super::said(&output));
    assert!(!super::said(&output).contains(&key));
    assert_eq!(owner.get(&format!("/v1/confirmations/{id}")).await["status"], "pending");
}
