//! Which tools are strict: a provider holds the model to a few schemas only, so the ones that matter most get it.

use serde_json::Value;

use super::{Format, Tool, rewrite::walk, strict_anthropic, strict_openai};
use crate::Level;

/// What one request may hold of strict schemas.
#[derive(Clone, Copy, Default)]
struct Cost {
    tools: usize,
    optional: usize,
    unions: usize,
    properties: usize,
    words: usize,
}

const ANTHROPIC: Cost =
    Cost { tools: 20, optional: 24, unions: 16, properties: usize::MAX, words: usize::MAX };
const OPENAI: Cost =
    Cost { tools: usize::MAX, optional: usize::MAX, unions: usize::MAX, properties: 5_000, words: 1_000 };

impl Cost {
    fn with(self, other: Self) -> Self {
        Self {
            tools: self.tools + other.tools,
            optional: self.optional + other.optional,
            unions: self.unions + other.unions,
            properties: self.properties + other.properties,
            words: self.words + other.words,
        }
    }

    fn within(self, most: Self) -> bool {
        self.tools <= most.tools
            && self.optional <= most.optional
            && self.unions <= most.unions
            && self.properties <= most.properties
            && self.words <= most.words
    }
}

/// Sets `strict` on the tools that get it within the provider's budget and names them, in the list's order.
/// Destructive actions come first, then writes, then reads, each in the list's order; one that would burst the
/// budget is passed over, and the next may still fit.
pub fn allocate_strict(format: Format, tools: &mut [Tool<'_>]) -> Vec<String> {
    let (most, to_strict): (Cost, fn(&Value) -> Option<Value>) = match format {
        Format::Openai | Format::OpenaiResponses => (OPENAI, strict_openai),
        Format::Anthropic => (ANTHROPIC, strict_anthropic),
        Format::Gemini | Format::Mcp => return Vec::new(),
    };
    let mut order: Vec<usize> = (0..tools.len()).collect();
    // The sort is stable: within a level the list's own rank stays.
    order.sort_by_key(|&i| tools.get(i).map(|tool| rank(tool.level)));
    let mut spent = Cost::default();
    for index in order {
        let Some(tool) = tools.get_mut(index) else { continue };
        let then = to_strict(&tool.input).map(|schema| spent.with(cost(&schema)));
        tool.strict = then.is_some_and(|then| then.within(most));
        if let Some(then) = then.filter(|_| tool.strict) {
            spent = then;
        }
    }
    tools.iter().filter(|tool| tool.strict).map(|tool| tool.name.to_owned()).collect()
}

fn rank(level: Option<Level>) -> u8 {
    match level {
        Some(Level::Destructive) => 0,
        Some(Level::Write) => 1,
        Some(Level::Read) => 2,
        None => 3,
    }
}

fn cost(schema: &Value) -> Cost {
    let mut cost = Cost { tools: 1, ..Cost::default() };
    walk(&mut schema.clone(), "", &mut |object, _| {
        let properties = object.get("properties").and_then(Value::as_object).map_or(0, serde_json::Map::len);
        let required = object.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        cost.properties += properties;
        cost.optional += properties.saturating_sub(required);
        let union = object.contains_key("anyOf") || object.get("type").is_some_and(Value::is_array);
        cost.unions += usize::from(union);
        cost.words += object.get("enum").and_then(Value::as_array).map_or(0, Vec::len);
    });
    cost
}
