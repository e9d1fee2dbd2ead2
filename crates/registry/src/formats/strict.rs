//! Chooses the strict tools of a request. Providers limit strict schemas per request, so the riskiest actions
//! come first.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{DroppedKeyword, Format, Tool, anthropic, openai, rewrite::walk};
use crate::Level;

/// What a provider counts in the strict schemas of one request.
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

    /// Returns each count with its limit in `most`.
    fn rows(self, most: Self) -> Vec<StrictUsage> {
        let all = [
            ("strict tools", self.tools, most.tools),
            ("optional parameters", self.optional, most.optional),
            ("parameters of several types", self.unions, most.unions),
            ("properties", self.properties, most.properties),
            ("words in enums", self.words, most.words),
        ];
        let limited = all.into_iter().filter(|(_, _, most)| *most < usize::MAX);
        limited.map(|(what, used, most)| StrictUsage { what, used, most }).collect()
    }
}

/// Which tools are strict, and why the others are not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Allocation {
    /// The strict ones, in the list's order.
    #[serde(skip)]
    #[schemars(skip)]
    pub strict: Vec<String>,
    /// How the provider's budget for one request was spent; empty where it has none.
    pub budget: Vec<StrictUsage>,
    /// The others, in the list's order.
    pub not_strict: Vec<NotStrict>,
}

/// One limit of a provider on the strict schemas of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct StrictUsage {
    /// What is counted.
    pub what: &'static str,
    /// How many the list's strict tools have.
    pub used: usize,
    /// How many they may have.
    pub most: usize,
}

/// A tool that is not strict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct NotStrict {
    /// Name.
    pub name: String,
    /// Why it is not.
    pub reason: String,
}

/// A provider's limits and conversion of strict schemas.
struct Rules {
    most: Cost,
    carry_strict: fn(&Value, &mut Vec<DroppedKeyword>) -> Result<Value, &'static str>,
}

fn rules(format: Format) -> Option<Rules> {
    match format {
        Format::Openai | Format::OpenaiResponses => {
            Some(Rules { most: OPENAI, carry_strict: openai::carry_strict })
        }
        Format::Anthropic => Some(Rules { most: ANTHROPIC, carry_strict: anthropic::carry_strict }),
        Format::Gemini | Format::Mcp => None,
    }
}

/// Sets `strict` on as many tools as the provider's limits allow. Destructive actions come first, then
/// writes, then reads, each in the order of the list. A tool that would exceed a limit is skipped, and the
/// next one may still fit.
pub fn allocate_strict(format: Format, tools: &mut [Tool<'_>]) -> Allocation {
    let mut order: Vec<usize> = (0..tools.len()).collect();
    // The sort is stable, so tools of one level keep their order.
    order.sort_by_key(|&i| tools.get(i).map(|tool| rank(tool.level)));
    let mut spent = Cost::default();
    let mut reasons = vec![None; tools.len()];
    let rules = rules(format);
    for index in order {
        let (Some(tool), Some(reason)) = (tools.get_mut(index), reasons.get_mut(index)) else { continue };
        match usage_with(rules.as_ref(), &tool.input, spent) {
            Ok(then) => (spent, tool.strict) = (then, true),
            Err(why) => (*reason, tool.strict) = (Some(why), false),
        }
    }
    let not_strict = tools
        .iter()
        .zip(reasons)
        .filter_map(|(tool, reason)| Some(NotStrict { name: tool.name.to_owned(), reason: reason? }));
    Allocation {
        strict: tools.iter().filter(|tool| tool.strict).map(|tool| tool.name.to_owned()).collect(),
        budget: rules.map(|rules| spent.rows(rules.most)).unwrap_or_default(),
        not_strict: not_strict.collect(),
    }
}

/// Returns the usage with this schema added, or why the tool can't be strict.
fn usage_with(rules: Option<&Rules>, input: &Value, spent: Cost) -> Result<Cost, String> {
    let Some(rules) = rules else { return Err("this format has no strict tools".to_owned()) };
    let schema = (rules.carry_strict)(input, &mut Vec::new())?;
    let then = spent.with(cost(&schema));
    match then.rows(rules.most).into_iter().find(|row| row.used > row.most) {
        Some(row) => Err(format!("would make {} {}, of {} at most", row.used, row.what, row.most)),
        None => Ok(then),
    }
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
