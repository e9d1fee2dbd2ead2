//! Calls of any shape.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::read;
use crate::tests::test_actions;

/// Generates JSON that resembles valid and invalid dispatcher calls.
pub(crate) fn anything() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "action",
        "params",
        "args",
        "input",
        "name",
        "limit",
        "list_tasks",
        "platform_execute",
        "{}",
        "{\"limit\":1}",
        "[",
        "",
        "é_Ü",
        "`",
        "()",
    ]);
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|b| json!(b)),
        any::<i32>().prop_map(|n| json!(n)),
        word.clone().prop_map(|w| json!(w)),
        ".{0,12}".prop_map(|w| json!(w))
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::vec((word.clone(), inner), 0..4).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_comes_is_read_or_refused(given in anything()) {
        match read(given) {
            Ok(call) => {
                prop_assert!(call.params.is_object());
                prop_assert!(call.action.starts_with("platform_") && call.action != "platform_execute");
                // The result is a correct call, so parsing it again changes nothing.
                let again = read(json!({"action": call.action, "params": call.params}));
                if let Ok(again) = again {
                    prop_assert_eq!(again.action, call.action);
                }
            }
            Err(error) => prop_assert!(error.pointer.is_empty() || error.pointer.starts_with('/')),
        }
    }

    #[test]
    fn coercion_takes_whatever_comes(given in anything()) {
        let meta = test_actions::create_task();
        let mut value = given;
        crate::coerce(meta.input.value(), &mut value);
        let once = value.clone();
        crate::coerce(meta.input.value(), &mut value);
        prop_assert_eq!(once, value);
    }
}
