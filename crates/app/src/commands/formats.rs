//! `actions lint --formats`: the keywords of the actions' schemas that each provider's format cannot express.

use std::{collections::BTreeMap, fmt::Write as _};

use toolcrib_model::count;
use toolcrib_registry::{
    ActionMeta, ActionRegistry, DroppedKeyword, Format, dropped_keywords, strict_dropped_keywords,
};

/// Returns one line for each keyword that a format drops, then the totals. Writing into a string can't fail.
pub fn report(registry: &ActionRegistry) -> String {
    let mut out = String::new();
    let mut totals: BTreeMap<(String, String, &str), usize> = BTreeMap::new();
    for meta in registry.tools() {
        for (format, lost) in of_action(meta) {
            let Some(lost) = lost else {
                let _ = writeln!(
                    out,
                    "{}  {format}  is never strict: its schema can't be said so",
                    meta.spec.name
                );
                continue;
            };
            for loss in &lost {
                let place = if loss.pointer.is_empty() { "/" } else { &loss.pointer };
                let _ =
                    writeln!(out, "{}  {format}  {place}  {}  {}", meta.spec.name, loss.keyword, loss.went);
                *totals.entry((format.clone(), loss.keyword.clone(), loss.went)).or_default() += 1;
            }
        }
    }
    out.push('\n');
    for ((format, keyword, went), times) in totals {
        let _ = writeln!(out, "{format}  {keyword}  {went}  {}", count(times, "time"));
    }
    out.push('\n');
    out
}

/// Returns the keywords that each format drops, without and with strict tools. `None` if the schema cannot be
/// strict.
fn of_action(meta: &ActionMeta) -> Vec<(String, Option<Vec<DroppedKeyword>>)> {
    let input = meta.input.value();
    let mut all = Vec::new();
    for format in Format::ALL {
        all.push((format.to_string(), Some(dropped_keywords(*format, input))));
        if matches!(format, Format::Openai | Format::Anthropic) {
            all.push((format!("{format} strict"), strict_dropped_keywords(*format, input)));
        }
    }
    all
}
