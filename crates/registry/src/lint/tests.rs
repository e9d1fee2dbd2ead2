//! Tests of each defect that the lint finds.

use serde_json::{Value, json};

use super::*;
use crate::{CallerDefault, Permission, Spec, Verb, tests::test_actions::SHOP};

fn good() -> Spec {
    Spec::read("platform_get_thing", Category::Agents, Permission::AGENTS_READ).describe("Get a thing.")
}

fn closed_object() -> Value {
    json!({
        "type": "object", "additionalProperties": false,
        "properties": {"agent": {"type": "string", "maxLength": 9}}
    })
}

fn defects(spec: Spec, input: Value) -> Vec<String> {
    let meta = ActionMeta::new(spec, input, json!({})).unwrap();
    lint(&[meta]).into_iter().map(|defect| defect.message).collect()
}

fn refused(spec: Spec, input: Value, part: &str) {
    let found = defects(spec, input);
    assert!(found.iter().any(|message| message.contains(part)), "wanted `{part}` in {found:?}");
}

#[test]
fn a_well_formed_action_passes() {
    assert_eq!(defects(good(), closed_object()), Vec::<String>::new());
}

#[test]
fn the_same_name_twice() {
    let make = || ActionMeta::new(good(), closed_object(), json!({})).unwrap();
    assert!(lint(&[make(), make()])[0].message.contains("registered twice"));
}

#[test]
fn names_of_the_wrong_form() {
    for name in ["get_thing", "platform_", "platform_Get", "platform_execute", "platform_get-thing"] {
        refused(Spec { name: name.into(), ..good() }, closed_object(), "a tool's name is");
    }
    let program = Spec::program("members", Level::Read, Permission::MEMBERS_READ).describe("x");
    refused(program, closed_object(), "`<resource>.<verb>`");
}

#[test]
fn an_action_of_a_pack_has_its_prefix_and_its_permissions() {
    let own = Permission::of_pack("shop", Verb::Read);
    let of_pack = |name: &str, permission: &Permission| {
        Spec::read(name, Category::Pack(&SHOP), permission.clone()).describe("Orders.")
    };
    assert_eq!(defects(of_pack("shop_list_orders", &own), closed_object()), Vec::<String>::new());
    for name in ["platform_list_orders", "list_orders", "shop_", "shop__list", "shops_list_orders"] {
        refused(of_pack(name, &own), closed_object(), "a tool's name is `shop_<verb>_<noun>`");
    }
    for permission in [Permission::AGENTS_READ, Permission::of_pack("desk", Verb::Read)] {
        refused(
            of_pack("shop_list_orders", &permission),
            closed_object(),
            "not a permission of its own pack",
        );
    }
    let foreign = Spec { permission: own, ..good() };
    refused(foreign, closed_object(), "not a permission of its own pack");
}

#[test]
fn a_pack_has_words_of_its_own() {
    let pack = |slug, events| PackInfo { slug, title: "Shop", description: "A shop.", sources: &[], events };
    assert_eq!(pack("shop", &["shop.closed", "shop.opened"]).defects(), Vec::<String>::new());
    for (slug, events, part) in [
        ("Shop", &[][..], "a pack's slug is"),
        ("my-shop", &[], "a pack's slug is"),
        ("agents", &[], "is reserved"),
        ("packs", &[], "is reserved"),
        ("events", &[], "is reserved"),
        ("shop", &["agent.created"], "must begin with `shop.`"),
        ("shop", &["shopping.began"], "must begin with `shop.`"),
        ("shop", &["shop.opened", "shop.closed"], "not sorted"),
    ] {
        let found = pack(slug, events).defects();
        assert!(found.iter().any(|defect| defect.contains(part)), "{slug} {events:?}: {found:?}");
    }
}

#[test]
fn defaults_of_callers_that_do_not_fit_the_schema() {
    let agent = |text: &str| {
        let mut input = closed_object();
        input["properties"]["agent"]["description"] = json!(text);
        input
    };
    let declared = good().caller_default(CallerDefault::Agent);
    assert_eq!(
        defects(declared.clone(), agent("The agent. Default: the calling agent.")),
        Vec::<String>::new()
    );
    refused(declared.clone(), agent("The agent."), "must end the text of `agent`");
    refused(good(), agent("The agent. Default: the calling agent."), "with `caller_default`");
    refused(good().caller_default(CallerDefault::Mission), closed_object(), "no optional parameter");
    let mut required = agent("Default: the calling agent.");
    required["required"] = json!(["agent"]);
    refused(declared, required, "no optional parameter");
}

#[test]
fn specs_that_leave_something_out() {
    refused(Spec { accessible_by: None, ..good() }, closed_object(), "accessible_by");
    refused(good().describe(""), closed_object(), "no description");
    refused(
        Spec { permission: Permission::new("", crate::Verb::Read), ..good() },
        closed_object(),
        "no permission",
    );
    refused(Spec { category: Category::Administration, ..good() }, closed_object(), "administration");
}

#[test]
fn destructive_without_warning_or_confirmation() {
    let spec =
        Spec::destructive("platform_delete_thing", Category::Agents, Permission::AGENTS_DELETE, "Gone.")
            .describe("x");
    assert_eq!(defects(spec.clone(), closed_object()), Vec::<String>::new());
    refused(Spec { warning: None, ..spec.clone() }, closed_object(), "no warning");
    refused(Spec { warning: Some("".into()), ..spec.clone() }, closed_object(), "no warning");
    refused(
        Spec { confirmation: ConfirmationLevel::None, ..spec.clone() },
        closed_object(),
        "no confirmation",
    );
    refused(Spec { external: true, ..spec.clone() }, closed_object(), "only read");
}

#[test]
fn parameters_that_do_not_exist() {
    refused(good().danger(&["playbook"]), closed_object(), "names the parameter `playbook`");
}

#[test]
fn open_or_unbounded_schemas() {
    refused(good(), json!({"type": "object"}), "additionalProperties");
    refused(good(), json!({"type": "string", "maxLength": 1}), "not an object");
    let with = |property: Value| {
        json!({
            "type": "object", "additionalProperties": false, "properties": {"p": property}
        })
    };
    refused(good(), with(json!({"type": "string"})), "no `maxLength`");
    refused(good(), with(json!({"type": "array", "items": {"type": "integer"}})), "no `maxItems`");
    refused(
        good(),
        with(json!({"type": "array", "maxItems": 2, "items": {"type": "object"}})),
        "additionalProperties",
    );
    refused(good(), with(json!({"anyOf": [{"type": "string"}]})), "no `maxLength`");
}

#[test]
fn phrases_that_say_nothing() {
    refused(good().describe("What it takes."), closed_object(), "says `What it takes`");
    let with = |property: Value| {
        json!({
            "type": "object", "additionalProperties": false, "properties": {"p": property}
        })
    };
    refused(
        good(),
        with(json!({"type": "integer", "description": "What it takes."})),
        "says `What it takes`",
    );
    let output = json!({"type": "object", "description": "What it takes."});
    let meta = ActionMeta::new(good(), closed_object(), output).unwrap();
    assert_eq!(lint(&[meta]).len(), 1);
}

#[test]
fn texts_of_an_enum_in_a_parameter() {
    let with = |text: &str| {
        let status = json!({"type": "string", "enum": ["active", "inactive"], "description": text});
        json!({"type": "object", "additionalProperties": false, "properties": {"status": status}})
    };
    refused(good(), with("Only these (Whether it may act (active: It may)."), "`active` of `/status`");
    let clear = with("Only agents with this status: `active` or `inactive`.");
    assert_eq!(defects(good(), clear), Vec::<String>::new());
}

#[test]
fn texts_of_outputs_that_nobody_declared() {
    let output = |text: Value| {
        let output = json!({"type": "object", "properties": {"text": text}});
        let meta = ActionMeta::new(good(), closed_object(), output).unwrap();
        lint(&[meta]).into_iter().map(|defect| defect.message).collect::<Vec<_>>()
    };
    let [message] = output(json!({"type": "string"})).try_into().unwrap();
    assert!(message.contains("whose words its output shows at `/text`"), "{message}");
    assert_eq!(output(json!({"type": "string", "x-untrusted": "somebody's"})).len(), 1);
    for declared in
        [json!({"type": "string", "x-untrusted": "tasks"}), json!({"type": "string", "x-ours": true})]
    {
        assert_eq!(output(declared), Vec::<String>::new());
    }
}

#[test]
fn references_to_elsewhere() {
    let remote = json!({
        "type": "object", "additionalProperties": false,
        "properties": {"p": {"$ref": "http://localhost/x"}}
    });
    assert!(ActionMeta::new(good(), remote, json!({})).is_err(), "a remote reference does not even compile");
    let local = json!({"type": "object", "additionalProperties": false, "$defs": {"P": {"type": "integer"}},
        "properties": {"p": {"$ref": "#/$defs/P"}}});
    refused(good(), local, "$ref");
}
