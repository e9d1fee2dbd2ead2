//! Maps concepts to categories and intents.

use std::collections::BTreeSet;

use toolcrib_registry::Category;

use super::Intent;

/// Returns the categories of a concept of the lexicon. Empty for verbs and for concepts that occur in every
/// category.
pub(super) fn categories(concept: &str) -> &'static [Category] {
    use Category as C;
    match concept {
        "agent" | "heartbeat" => &[C::Agents],
        "playbook" | "step" | "execution" => &[C::Playbooks],
        "task" | "board" | "overdue" | "subtask" => &[C::Tasks],
        "mission" => &[C::Missions],
        "depend" => &[C::Missions, C::Field],
        "document" | "reprocess" | "upload" => &[C::Documents],
        "memory" | "forget" | "store" => &[C::Memory],
        "chat" => &[C::Chat, C::Memory],
        "skill" | "plugin" | "installed" | "install" => &[C::Marketplace, C::Workspace, C::Agents],
        "marketplace" => &[C::Marketplace],
        "app" => &[C::Integrations, C::Agents],
        "tool" | "price_list" => &[C::Discovery],
        "model" => &[C::Discovery, C::Workspace, C::Marketplace, C::Analytics],
        "blueprint" | "comply" | "rule_change" => &[C::Governance],
        "budget" => &[C::Governance, C::Missions],
        "cost" | "breakdown" | "per_run" | "token" | "provider" | "activity" | "success" | "time"
        | "queue" | "efficiency" | "peak" | "bottleneck" | "predict" | "ranking" | "sla" | "trend" => {
            &[C::Analytics]
        }
        "error" => &[C::Analytics, C::Infrastructure],
        "stats" => &[C::Analytics, C::Workspace],
        "workspace" | "plan" => &[C::Workspace],
        "sql" => &[C::Data, C::Discovery],
        "datasource" => &[C::Discovery, C::Data],
        "schedule" => &[C::Scheduling],
        "report" | "submit" => &[C::Reports],
        "field" | "inject" | "stability" => &[C::Field],
        "alert" | "logs" | "deploy" | "prometheus" | "service" | "health" => &[C::Infrastructure],
        _ => &[],
    }
}

const RECALL: &[&str] = &["memory", "chat", "forget", "store"];
const DATA: &[&str] = &[
    "cost",
    "breakdown",
    "per_run",
    "token",
    "stats",
    "activity",
    "success",
    "error",
    "time",
    "queue",
    "efficiency",
    "peak",
    "bottleneck",
    "predict",
    "ranking",
    "sla",
    "sql",
    "datasource",
    "trend",
    "board",
    "status",
    "budget",
    "logs",
    "prometheus",
    "alert",
    "health",
];
const SEARCH: &[&str] = &["search", "document", "tool"];
const EXTERNAL: &[&str] =
    &["marketplace", "app", "browse", "plugin", "skill", "install", "service", "deploy"];
const CREATION: &[&str] = &[
    "create",
    "update",
    "delete",
    "assign",
    "install",
    "run",
    "cancel",
    "submit",
    "schedule",
    "upload",
    "inject",
    "store",
    "reprocess",
    "done",
    "rule_change",
    "heartbeat",
];
/// Words that connect one request to the next, in the languages of the lexicon.
const THEN: &[&str] = &[
    "then",
    "afterwards",
    "after",
    "finally",
    "next",
    "also",
    "luego",
    "despues",
    "danach",
    "anschliessend",
    "dann",
    "ensuite",
    "puis",
    "poi",
    "depois",
    "plus",
];

/// Returns the intents that concepts and words indicate, or [`Intent::Factual`] if they indicate none.
pub(super) fn intents(concepts: &BTreeSet<&str>, words: &[String], categories: usize) -> Vec<Intent> {
    let any = |list: &[&str]| list.iter().any(|concept| concepts.contains(concept));
    let verbs = CREATION.iter().filter(|concept| concepts.contains(*concept)).count();
    let joined = words.iter().any(|word| THEN.contains(&word.as_str()));
    let several = (joined && verbs >= 2) || (verbs >= 3 && categories >= 3) || concepts.contains("depend");
    let shown = [
        (Intent::MemoryRecall, any(RECALL)),
        (Intent::DataQuery, any(DATA)),
        (Intent::Search, any(SEARCH)),
        (Intent::External, any(EXTERNAL)),
        (Intent::Creation, verbs > 0),
        (Intent::MultiStep, several),
    ];
    let mut intents: Vec<Intent> =
        shown.into_iter().filter_map(|(intent, shown)| shown.then_some(intent)).collect();
    if intents.is_empty() {
        intents.push(Intent::Factual);
    }
    intents
}
