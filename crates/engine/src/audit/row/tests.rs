use serde_json::json;

use super::*;

fn shortened(mut value: Value) -> Value {
    shorten(&mut value);
    value
}

#[test]
fn long_texts_and_lists_are_cut_wherever_they_stand() {
    let text = |letters: usize| "ä".repeat(letters);
    assert_eq!(shortened(json!(text(256))), json!(text(256)));
    assert_eq!(shortened(json!(text(257))), json!(text(255) + "…"));
    let items = |count: usize| (0..count).collect::<Vec<_>>();
    assert_eq!(shortened(json!(items(20))), json!(items(20)));
    assert_eq!(shortened(json!(items(21))), json!(items(20)));
    let deep = json!({"a": [{"b": text(300)}], "n": 7, "t": "short"});
    assert_eq!(shortened(deep), json!({"a": [{"b": text(255) + "…"}], "n": 7, "t": "short"}));
}
