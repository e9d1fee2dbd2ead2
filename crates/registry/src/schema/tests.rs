//! Tests of the descriptions of enum words.

use schemars::JsonSchema;
use serde_json::json;

use super::{output_schema_of, schema_of};

/// Whether a thing is on.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[expect(dead_code, reason = "read as a schema alone")]
enum Mode {
    /// Is on.
    On,
    /// Is off.
    Off,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "read as a schema alone")]
struct Things {
    /// Mode of the thing.
    required: Mode,
    /// Only things of this mode. Default: `on`.
    optional: Option<Mode>,
    /// Only things that are `on` or `off`.
    named: Option<Mode>,
    /// Only things of this mode.
    #[schemars(extend("x-plain-words" = true))]
    plain: Option<Mode>,
    /// Modes in order.
    list: Vec<Mode>,
}

#[test]
fn the_texts_of_words_follow_the_text_of_the_parameter() {
    let schema = schema_of::<Things>();
    let property = |name: &str| &schema["properties"][name];
    assert_eq!(property("required")["description"], "Mode of the thing. `on`: Is on; `off`: Is off.");
    let optional = json!({
        "description": "Only things of this mode. Default: `on`. `on`: Is on; `off`: Is off.",
        "type": "string", "enum": ["on", "off"]
    });
    assert_eq!(*property("optional"), optional);
    assert_eq!(property("named")["description"], "Only things that are `on` or `off`.");
    let plain = json!({"description": "Only things of this mode.", "type": "string", "enum": ["on", "off"]});
    assert_eq!(*property("plain"), plain);
    let items = json!({"description": "Whether a thing is on. `on`: Is on; `off`: Is off.", "type": "string",
        "enum": ["on", "off"]});
    assert_eq!(property("list")["items"], items);
    assert_eq!(
        output_schema_of::<Mode>()["description"],
        "Whether a thing is on. `on`: Is on; `off`: Is off."
    );
}
