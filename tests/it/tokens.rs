//! The cost of each payload for a model, in tokens of the real o200k vocabulary. Prints the table in
//! `docs/tool-lists.md`, and fails if a payload is over its budget.

use serde_json::json;
use tiktoken_rs::o200k_base;
use toolcrib_access::WorkspacePolicy;
use toolcrib_actions::Infrastructure;
use toolcrib_engine::CallerTools;
use toolcrib_model::Role;
use toolcrib_registry::{ActionMeta, prompt};

use crate::formats::{caller, catalog};

/// Messages of several kinds, as users write them.
const TYPICAL: [&str; 12] = [
    "pause the invoice bot",
    "why did our bill double last month?",
    "create a task to fix the login page and give it to Nova",
    "find the leave policy in the handbook",
    "show me the alerts that are firing",
    "run the onboarding playbook for the new customer",
    "which skills could our writer get from the marketplace?",
    "remember that the customer prefers calls in the morning",
    "lösche den alten Testagenten",
    "programa un informe cada lunes a las nueve",
    "how many orders came in yesterday according to the shop database?",
    "what has the migration mission spent so far, and who is working on it?",
];

#[test]
fn every_payload_keeps_its_budget() {
    let catalog = catalog();
    let (admin, policy) = (caller(Role::Admin, "chat"), WorkspacePolicy::default());
    let tools = CallerTools::new(&catalog, &admin, &policy);
    let vocabulary = o200k_base().unwrap();
    let count = |text: &str| vocabulary.encode_ordinary(text).len();
    let list = |asked: serde_json::Value| {
        let list = toolcrib_http::tool_list(&tools, asked).unwrap();
        count(&list["tools"].to_string())
    };
    let filtered =
        |query: &str, detail: &str| list(json!({"strategy": "filtered", "query": query, "detail": detail}));
    let all = tools.allowed();
    let (direct, behind): (Vec<&ActionMeta>, Vec<&ActionMeta>) =
        all.iter().map(AsRef::as_ref).partition(|meta| tools.promoted(meta));
    let mut table = vec![
        ("full, names".to_owned(), list(json!({"detail": "names"})), 4_000),
        ("full, signatures".to_owned(), list(json!({"detail": "signatures"})), 6_000),
        (
            "dispatcher_only, names".to_owned(),
            list(json!({"strategy": "dispatcher_only", "detail": "names"})),
            1_300,
        ),
        ("all".to_owned(), list(json!({"strategy": "all"})), 14_000),
        ("all, strict".to_owned(), list(json!({"strategy": "all", "strict": "auto"})), 14_000),
        ("all, `mcp`".to_owned(), list(json!({"strategy": "all", "format": "mcp"})), 18_000),
        ("prompt summary".to_owned(), count(&prompt(&direct, &behind, false)), 3_500),
    ];
    for query in TYPICAL {
        table.push((format!("filtered: {query}"), filtered(query, "signatures"), 1_800));
    }
    println!("| payload, workspace admin, `openai` | tokens | at most |\n|---|---|---|");
    for (payload, tokens, most) in &table {
        println!("| {payload} | {tokens} | {most} |");
    }
    for (payload, tokens, most) in table {
        assert!(tokens <= most, "`{payload}` costs {tokens} tokens, of {most} at most");
    }
}

/// What the packs of the program add to an admin's list, with nothing of theirs promoted.
#[test]
fn packs_that_are_on_keep_their_budget() {
    let packs = [toolcrib_media::pack(), toolcrib_game::pack()];
    let catalog = toolcrib_actions::catalog_with_packs(&Infrastructure::default(), &packs, None).unwrap();
    let off = WorkspacePolicy::default();
    let on = packs.iter().fold(off.packs.clone(), |on, pack| on.with(pack.info.slug, Some(1)));
    let admin = caller(Role::Admin, "chat");
    let unpromoted =
        catalog.registry().tools().filter(|meta| meta.spec.promoted).map(|meta| meta.spec.name.to_string());
    let promoted = Some(unpromoted.filter(|name| name.starts_with("platform_")).collect());
    let on = WorkspacePolicy { packs: on, promoted, ..off.clone() };
    let vocabulary = o200k_base().unwrap();
    let count = |policy: &WorkspacePolicy, detail: &str| {
        let tools = CallerTools::new(&catalog, &admin, policy);
        let list = toolcrib_http::tool_list(&tools, json!({ "strategy": "full", "detail": detail })).unwrap();
        vocabulary.encode_ordinary(&list["tools"].to_string()).len()
    };
    for (detail, most) in [("names", 500), ("signatures", 1_900)] {
        let more = count(&on, detail) - count(&off, detail);
        println!("| `full`, `detail={detail}`, both packs on | {more} more | {most} more |");
        assert!(more <= most, "`{detail}` costs {more} tokens more with the packs, of {most} at most");
    }
}

/// The response's own figure of its size is an estimate, which must not mislead.
#[test]
fn the_estimate_is_near_the_truth() {
    let catalog = catalog();
    let (admin, policy) = (caller(Role::Admin, "chat"), WorkspacePolicy::default());
    let tools = CallerTools::new(&catalog, &admin, &policy);
    let vocabulary = o200k_base().unwrap();
    for strategy in ["full", "all", "dispatcher_only"] {
        let list = toolcrib_http::tool_list(&tools, json!({ "strategy": strategy })).unwrap();
        let said = list["tokens"].as_u64().unwrap();
        let real = vocabulary.encode_ordinary(&list["tools"].to_string()).len() as u64;
        println!("{strategy}: said {said}, really {real}");
        assert!(said * 10 >= real * 8 && said * 10 <= real * 13, "{strategy}: said {said}, really {real}");
    }
}
