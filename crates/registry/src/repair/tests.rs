//! A corpus of dispatcher calls as models make them.

mod properties;

pub(crate) use properties::anything;
use serde_json::{Value, json};

use super::*;
use crate::{ActionMeta, tests::test_actions};

fn read(arguments: Value) -> Result<DispatcherCall, DispatchError> {
    unwrap_dispatch(Dispatcher::Platform, arguments, &ActionRegistry::new(test_actions::all()).unwrap())
}

#[test]
fn a_right_call_is_not_touched() {
    let got = read(json!({"action": "platform_list_tasks", "params": {"limit": 1}})).unwrap();
    assert_eq!(
        got,
        DispatcherCall {
            given: "platform_list_tasks".into(),
            action: "platform_list_tasks".into(),
            params: json!({"limit": 1}),
            repairs: Repairs::default()
        }
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn list_tasks_with_limit_1_in_every_dress() {
    let inner = "{\"limit\":1}";
    let twice = json!(inner).to_string();
    let whole = json!({"action": "list_tasks", "params": {"limit": 1}}).to_string();
    let table = [
        (json!({"action": "platform_list_tasks", "params": inner}), "params_as_text"),
        (json!({"action": "platform_list_tasks", "params": twice}), "params_as_text"),
        (
            json!({"action": "platform_list_tasks", "params": format!("```json\n{inner}\n```")}),
            "params_as_text",
        ),
        (json!({"action": "platform_list_tasks", "params": format!("  {inner}  ")}), "params_as_text"),
        (json!({"action": "platform_list_tasks", "params": "{'limit': 1,}"}), "params_as_text"),
        (json!({"action": "platform_list_tasks", "limit": 1}), "params_at_top"),
        (json!({"limit": 1, "action": "platform_list_tasks"}), "params_at_top"),
        (json!({"action": "platform_list_tasks", "params": {}, "limit": 1}), "params_at_top"),
        (json!({"action": "platform_list_tasks", "params": {"limit": 1}, "limit": 1}), "params_at_top"),
        (json!({"action": "platform_list_tasks", "params": null, "limit": 1}), "params_at_top"),
        (json!({"action": "list_tasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "list-tasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "listTasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "ListTasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "List Tasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "LIST_TASKS", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "platformListTasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "PLATFORM_LIST_TASKS", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "platform-list-tasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "platform.list_tasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "platform/list_tasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": " platform_list_tasks\n", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "`platform_list_tasks`", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "platform_list_tasks()", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "functions.platform_list_tasks", "params": {"limit": 1}}), "action_name"),
        (json!({"action": "platform_list_tasks", "parameters": {"limit": 1}}), "params_key"),
        (json!({"action": "platform_list_tasks", "arguments": {"limit": 1}}), "params_key"),
        (json!({"action": "platform_list_tasks", "arguments": inner}), "params_key"),
        (json!({"action": "platform_list_tasks", "args": {"limit": 1}}), "params_key"),
        (json!({"action": "platform_list_tasks", "input": {"limit": 1}}), "params_key"),
        (json!({"action": "platform_list_tasks", "Params": {"limit": 1}}), "params_key"),
        (json!({"action": "platform_list_tasks", "params": {}, "args": {"limit": 1}}), "params_key"),
        (json!({"action": "platform_list_tasks", "params": {"params": {"limit": 1}}}), "params_wrapped"),
        (json!({"action": "platform_list_tasks", "params": {"arguments": inner}}), "params_wrapped"),
        (
            json!({"action": "list_tasks", "params": {"action": "list_tasks", "params": {"limit": 1}}}),
            "action_repeated",
        ),
        (
            json!({"action": "platform_list_tasks", "params": {"action": "list_tasks", "limit": 1}}),
            "action_repeated",
        ),
        (json!({"action": "platform_list_tasks", "params": [{"limit": 1}]}), "params_in_list"),
        (json!({"params": {"action": "platform_list_tasks", "limit": 1}}), "action_inside_params"),
        (json!({"name": "platform_list_tasks", "arguments": {"limit": 1}}), "action_key"),
        (json!({"tool": "list_tasks", "params": {"limit": 1}}), "action_key"),
        (json!({"Action": "list_tasks", "params": {"limit": 1}}), "action_key"),
        (json!({"tool_name": "list_tasks", "tool_input": {"limit": 1}}), "action_key"),
        (
            json!({"name": "platform_execute",
                "arguments": {"action": "list_tasks", "params": {"limit": 1}}}),
            "call_in_call",
        ),
        (json!({"how_to_call": {"name": "platform_list_tasks", "arguments": {"limit": 1}}}), "call_in_call"),
        (
            json!({"action": "platform_execute", "params": {"action": "list_tasks", "limit": 1}}),
            "call_in_call",
        ),
        (json!({"action": "execute", "params": {"action": "execute", "params": whole}}), "call_in_call"),
        (json!({"action": ["platform_list_tasks"], "params": {"limit": 1}}), "call_in_call"),
        (json!({"action": {"name": "platform_list_tasks"}, "params": {"limit": 1}}), "call_in_call"),
        (json!({"action": {"name": "platform_list_tasks", "arguments": {"limit": 1}}}), "call_in_call"),
        (json!({"action": {"name": "list_tasks", "parameters": inner}, "params": {}}), "call_in_call"),
        (json!({"action": "platform_list_tasks(limit=1)"}), "call_in_call"),
        (json!({"action": "list_tasks({\"limit\": 1})", "params": null}), "call_in_call"),
        (json!({"action": whole}), "call_in_call"),
        (
            json!({"type": "function", "id": "c", "function": {"name": "list_tasks", "arguments": inner}}),
            "call_in_call",
        ),
        (
            json!({"tool_calls": [
                {"type": "tool_use", "id": "c", "name": "list_tasks", "input": {"limit": 1}}]}),
            "call_in_call",
        ),
        (json!({"platform_list_tasks": {"limit": 1}}), "call_in_call"),
        (json!({"action": "platform_list_tasks", "params": {"list_tasks": {"limit": 1}}}), "params_wrapped"),
        (json!({"action": "platform_list_tasks", "params": {"body": {"limit": 1}}}), "params_wrapped"),
        (json!({"action": "platform_list_tasks", "body": {"limit": 1}}), "params_wrapped"),
        (json!({"action": "platform_list_tasks", "params": {"data": inner}}), "params_wrapped"),
        (json!({"action": "platform_list_tasks", "params": "{“limit”: 1}}"}), "params_as_text"),
        (json!(whole), "arguments_as_text"),
        (json!(json!(whole).to_string()), "arguments_as_text"),
    ];
    for (given, word) in table {
        let got = read(given.clone()).unwrap_or_else(|error| panic!("{given}: {error}"));
        assert_eq!(
            (got.action.as_str(), &got.params),
            ("platform_list_tasks", &json!({"limit": 1})),
            "{given}"
        );
        assert!(got.repairs.kinds.contains(&word), "{given}: {:?}", got.repairs);
    }
}

#[test]
fn no_parameters_in_every_dress() {
    for params in [json!(null), json!({}), json!([]), json!(""), json!("{}"), json!("null"), json!("\"{}\"")]
    {
        let got = read(json!({"action": "platform_get_sla_compliance", "params": params})).unwrap();
        assert_eq!(got.params, json!({}), "{params}");
    }
    assert_eq!(read(json!({"action": "getSLACompliance"})).unwrap().action, "platform_get_sla_compliance");
}

#[test]
fn a_parameter_that_the_action_takes_is_never_taken_for_params() {
    let got = read(json!({"action": "execute_playbook", "playbook": "x", "input": {"a": 1}})).unwrap();
    assert_eq!(got.params, json!({"playbook": "x", "input": {"a": 1}}));
    let got = read(json!({"action": "execute_playbook", "params": {"input": {"a": 1}}})).unwrap();
    assert_eq!(got.params, json!({"input": {"a": 1}}));
    let got = read(json!({"action": "create_agent", "name": "list_tasks"})).unwrap();
    assert_eq!((got.action.as_str(), got.params), ("platform_create_agent", json!({"name": "list_tasks"})));
}

#[test]
fn what_is_not_certain_is_refused_with_a_place_and_a_way_out() {
    let table = [
        (json!({}), "/action"),
        (json!({"params": {}}), "/action"),
        (json!({"params": {"action": 5}}), "/action"),
        (json!({"name": "nobody", "params": {}}), "/action"),
        (json!({"action": ""}), "/action"),
        (json!({"action": " "}), "/action"),
        (json!({"action": null}), "/action"),
        (json!({"action": 5, "params": {}}), "/action"),
        (json!({"action": ["platform_list_tasks"]}), "/action"),
        (json!({"action": ["platform_list_tasks", "platform_create_task"]}), "/action"),
        (json!({"action": {"colour": "platform_list_tasks"}}), "/action"),
        (
            json!({"action": {"name": "list_tasks", "arguments": {"limit": 1}}, "params": {"limit": 2}}),
            "/action",
        ),
        (json!({"action": "x".repeat(200)}), "/action"),
        (json!({"action": "platform_execute", "params": {"limit": 1}}), "/action"),
        (json!({"action": "execute"}), "/action"),
        (json!({"action": "Platform-Execute"}), "/action"),
        (json!({"action": "list_tasks", "params": "limit=1"}), "/params"),
        (json!({"action": "list_tasks", "params": "{\"limit\":1,\"limit\":2}"}), "/params"),
        (json!({"action": "list_tasks", "params": 5}), "/params"),
        (json!({"action": "list_tasks", "params": true}), "/params"),
        (json!({"action": "list_tasks", "params": [1, 2]}), "/params"),
        (json!({"action": "list_tasks", "params": [{"limit": 1}, {"limit": 2}]}), "/params"),
        (json!({"action": "list_tasks", "params": {"limit": 1}, "limit": 2}), "/limit"),
        (json!({"action": "list_tasks", "params": {"limit": 1}, "args": {"limit": 2}}), "/limit"),
        (json!([]), "/action"),
        (json!(5), ""),
        (json!("nonsense"), ""),
    ];
    for (given, pointer) in table {
        let error = read(given.clone()).expect_err(&given.to_string());
        assert_eq!(error.pointer, pointer, "{given}");
        assert!(!error.message.is_empty() && !error.hint.is_empty());
    }
}

#[test]
fn an_unknown_action_is_named_and_never_a_program_s() {
    assert_eq!(read(json!({"action": "platform_nothing"})).unwrap().action, "platform_nothing");
    assert_eq!(read(json!({"action": "list_tasks(limit=1, limit=2)"})).unwrap().params, json!({}));
    assert_eq!(read(json!({"action": "members.add"})).unwrap().action, "platform_members.add");
}

#[test]
fn the_arguments_of_a_direct_call_may_be_that_call() {
    let registry = ActionRegistry::new(test_actions::all()).unwrap();
    let meta = test_actions::create_task();
    let plain = json!({"title": "x", "description": "y"});
    for given in [
        json!({"name": "platform_create_task", "arguments": plain}),
        json!({"tool_name": "createTask", "tool_input": plain}),
        json!({"action": "platform_create_task", "params": plain.to_string()}),
        json!({"name": "platform_execute", "arguments": {"action": "create_task", "params": plain}}),
        json!({"create_task": plain}),
        json!({"body": plain}),
        json!({"task": plain.to_string()}),
        json!({"params": plain}),
    ] {
        let (arguments, repairs) = unwrap_direct(&given, &meta, &registry);
        assert_eq!(arguments, plain, "{given}");
        assert!(!repairs.kinds.is_empty(), "{given}");
    }
    for other in [
        json!({"name": "platform_delete_agent", "arguments": {"agent": "x"}}),
        json!({"action": "create_tsak", "params": plain}),
        json!({"title": "x", "description": "y"}),
        json!({"old": {"title": "x"}, "new": {"title": "y"}}),
        json!({"title": "x", "body": {"description": "y"}}),
        json!({"wrong": {"colour": "y"}}),
    ] {
        assert_eq!(unwrap_direct(&other, &meta, &registry).0, other);
    }
    let agent = test_actions::create_agent();
    let named = json!({"name": "platform_create_agent"});
    assert_eq!(unwrap_direct(&named, &agent, &registry).0, named, "an agent may have that name");
}

fn corrected(meta: &ActionMeta, params: Value) -> Option<Value> {
    Some(call_of(meta, &correct(meta, &params)?.arguments, true))
}

#[test]
fn the_corrected_call_is_valid_and_has_what_was_given() {
    let meta = test_actions::create_task();
    let full = |more: Value| {
        let mut params = json!({"title": "x", "description": "y"});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let table = [
        (json!({"title": "x", "descripton": "y"}), full(json!({}))),
        (full(json!({"colour": 1})), full(json!({}))),
        (full(json!({"limit": "7"})), full(json!({"limit": 7}))),
        (full(json!({"priority": "hgh"})), full(json!({"priority": "high"}))),
        (full(json!({"prority": "High", "tag": "a"})), full(json!({"priority": "high", "tags": ["a"]}))),
        (json!({"title": ["x"], "description": "y"}), full(json!({}))),
        (json!({"title": "x", "body": {"description": "y"}}), full(json!({}))),
        (json!({"title": "x", "memory": "y"}), full(json!({}))),
        (full(json!({"tags": "a, b"})), full(json!({"tags": ["a", "b"]}))),
        (full(json!({"tags": "- a\n- b"})), full(json!({"tags": ["a", "b"]}))),
        (full(json!({"limit": "7 items"})), full(json!({"limit": 7}))),
    ];
    for (given, wanted) in table {
        let call = corrected(&meta, given.clone()).unwrap_or_else(|| panic!("{given}"));
        assert_eq!(call["name"], "platform_execute");
        assert_eq!(call["arguments"]["action"], "platform_create_task");
        let mut params = call["arguments"]["params"].clone();
        assert_eq!(params, wanted, "{given}");
        assert_eq!(meta.input.check(&mut params), [], "{given}");
    }
}

#[test]
fn a_missing_or_unclear_value_has_no_corrected_call() {
    let meta = test_actions::create_task();
    for given in [
        json!({"title": "x"}),
        json!({"title": "x".repeat(300), "description": "y"}),
        json!({"title": [1, 2], "description": "y"}),
        json!({"title": "x", "description": "y", "limit": "many"}),
        json!({"title": "x", "description": "y", "priority": "enormous"}),
        json!({"title": "x", "description": "y", "descripton": "z"}),
        json!({"title": "x", "description": "y", "limit": 500}),
        json!({"title": "x", "description": "y", "more": {"colour": 1}}),
        json!({"one": "x", "two": "y"}),
        json!([1, 2]),
    ] {
        assert_eq!(corrected(&meta, given.clone()), None, "{given}");
    }
    // Null empties this parameter, and without it nothing changes.
    let nullable = json!({"name": "x", "colour": 1, "schedule": {}});
    assert_eq!(corrected(&test_actions::create_agent(), nullable), None);
}

#[test]
fn a_number_is_moved_to_its_limit_in_reads_only() {
    let moved = correct(&test_actions::list_tasks(), &json!({"limit": 500})).unwrap();
    assert_eq!((moved.arguments, moved.complete), (json!({"limit": 100}), false));
}

#[test]
fn another_word_for_a_parameter_keeps_the_value_and_is_named() {
    let right = correct(&test_actions::create_task(), &json!({"name": "x", "details": "y"})).unwrap();
    assert_eq!(right.arguments, json!({"title": "x", "description": "y"}));
    assert_eq!(
        (right.changed.as_slice(), right.complete),
        (&["/title".into(), "/description".into()][..], true)
    );
}

#[test]
fn a_slip_in_the_name_and_prose_around_the_parameters_are_only_likely() {
    let call = read(json!({"action": "list_tsks", "params": {"limit": 1}})).unwrap();
    assert_eq!((call.action.as_str(), call.repairs.likely_name), ("platform_list_tasks", true));
    let call = read(json!({"action": "list_tasks", "params": "Here you are: {\"limit\": 1}"})).unwrap();
    assert_eq!((call.params, call.repairs.text), (json!({"limit": 1}), TextRepair::Prose));
}

#[test]
fn an_example_has_placeholders_for_what_is_required() {
    let call = example_call(&test_actions::create_task(), false);
    assert_eq!(call["arguments"], json!({"title": "<title>", "description": "<description>"}));
}

#[test]
fn the_direct_call_is_exact() {
    let call = call_of(&test_actions::create_agent(), &json!({"name": "x"}), false);
    assert_eq!(call, json!({"name": "platform_create_agent", "arguments": {"name": "x"}}));
}
