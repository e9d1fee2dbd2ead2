use serde_json::{Value, json};
use toolcrib_registry::{Category, Condition, Escalation, Permission};

use super::*;

fn escalations() -> [Escalation; 3] {
    [
        Escalation::new("force", Condition::IsTrue, ConfirmationLevel::Simple),
        Escalation::new("mode", Condition::Equals("all".into()), ConfirmationLevel::Typed),
        Escalation::new("owner", Condition::Present, ConfirmationLevel::Simple),
    ]
}

fn tool(level: Level) -> Spec {
    let spec = Spec::read("platform_do_thing", Category::Agents, Permission::AGENTS_MANAGE);
    Spec { level, confirmation: ConfirmationLevel::None, ..spec.escalations(&escalations()) }
}

/// Returns the level in each mode: `standard`, `confirm_writes`, `read_only`.
fn levels(spec: &Spec, arguments: Value) -> [&'static str; 3] {
    [ApprovalMode::Standard, ApprovalMode::ConfirmWrites, ApprovalMode::ReadOnly].map(|approval_mode| {
        let policy = WorkspacePolicy { approval_mode, ..WorkspacePolicy::default() };
        level(spec, &policy, &arguments).as_str()
    })
}

#[test]
fn the_most_of_action_mode_and_parameters_is_asked_for() {
    let none = || json!({});
    assert_eq!(levels(&tool(Level::Read), none()), ["none"; 3]);
    assert_eq!(levels(&tool(Level::Write), none()), ["none", "simple", "none"]);
    // A destructive action needs a confirmation, whatever it declares.
    assert_eq!(levels(&tool(Level::Destructive), none()), ["simple"; 3]);
    let typed = Spec { confirmation: ConfirmationLevel::Typed, ..tool(Level::Destructive) };
    assert_eq!(levels(&typed, json!({"force": true})), ["typed"; 3]);
    let program = Spec::program("things.do", Level::Write, Permission::SETTINGS_MANAGE);
    assert_eq!(levels(&program.escalations(&escalations()), json!({"mode": "all"})), ["none"; 3]);
}

#[test]
fn parameters_raise_it_by_what_they_are() {
    let standard = |arguments| levels(&tool(Level::Write), arguments)[0];
    for (arguments, expected) in [
        (json!({"force": true}), "simple"),
        (json!({"force": false}), "none"),
        (json!({"force": "true"}), "none"),
        (json!({"mode": "all"}), "typed"),
        (json!({"mode": "some"}), "none"),
        (json!({"mode": ["all"]}), "none"),
        (json!({"owner": null}), "simple"),
        (json!({"owner": "x", "mode": "all"}), "typed"),
    ] {
        assert_eq!(standard(arguments.clone()), expected, "{arguments}");
    }
}
