//! Declared tools: those of the example toolsets, one hundred of several products, and as many as a workspace
//! may have.

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolcrib_registry::{ActionMeta, Category, Permission, Spec, ToolState, properties_of};
use toolcrib_toolset::{CheckContext, DocumentFormat, ToolsetSource, check, parse};

/// The phrases of users for the tools of the example toolsets, as pairs of tool and phrase. The merge was
/// fitted on the part `tune`. Those of `later` and `services` were written when the lexicon and the merge
/// were finished; `services` are those of `brave.toml` and `github.toml`.
pub fn phrases(part: &str) -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("../data/toolset_phrases.tsv").lines().filter_map(|line| line.split_once('\t'));
    let of_part = lines.filter(|(of, _)| *of == part);
    of_part.map(|(_, rest)| rest.split_once('\t').unwrap()).collect()
}

/// The 48 tools of `srs-writer.toml` and `orion.toml`.
pub fn examples() -> Vec<ActionMeta> {
    ["srs-writer.toml", "orion.toml"].into_iter().flat_map(example).collect()
}

/// The 61 tools of the four example toolsets.
pub fn four_examples() -> Vec<ActionMeta> {
    examples().into_iter().chain(["brave.toml", "github.toml"].into_iter().flat_map(example)).collect()
}

fn example(file: &str) -> Vec<ActionMeta> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/toolsets").join(file);
    let document = parse(&fs::read_to_string(path).unwrap(), DocumentFormat::Toml).unwrap();
    let toolset = check(&document, &CheckContext::new(ToolsetSource::Operator)).unwrap();
    toolset.tools.iter().map(|tool| tool.meta(&toolset.slug, ToolState::On)).collect()
}

/// One hundred tools: the examples and those of other products, many of them near the platform's domain.
pub fn hundred() -> Vec<ActionMeta> {
    examples().into_iter().chain(others()).collect()
}

fn others() -> impl Iterator<Item = ActionMeta> {
    include_str!("../data/declared_tools.tsv").lines().map(|line| {
        let [name, description, parameters]: [&str; 3] =
            line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let about = |text: &str| json!({ "type": "string", "description": text });
        let parameters = parameters.split(';').filter_map(|parameter| parameter.split_once(' '));
        let properties = parameters.map(|(name, text)| (name.to_owned(), about(text))).collect();
        tool(name, description, &[], Value::Object(properties))
    })
}

/// A declared tool.
pub fn tool(name: &str, description: &str, tags: &[&str], properties: Value) -> ActionMeta {
    let spec = Spec::read(name, Category::Toolset, Permission::AGENTS_READ).describe(description).tags(tags);
    let input = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    ActionMeta::new(spec, input, json!({})).unwrap()
}

/// As many tools as a workspace may have, each made of two of the hundred and of words of its own.
pub fn many(count: usize) -> Vec<ActionMeta> {
    let from = hundred();
    let made = |i: usize| {
        let (a, b) = (&from[i % from.len()], &from[(i * 7 + i / from.len()) % from.len()]);
        let bare = |meta: &ActionMeta| meta.spec.name.split_once("__").unwrap().1.to_owned();
        let name = format!("set{}__{}_{}_{i}", i % 20, bare(a), bare(b));
        let own = format!("{}{}", WORDS[i % WORDS.len()], WORDS[i / WORDS.len() % WORDS.len()]);
        let description = format!("{} {} For the {own}.", a.spec.description, b.spec.description);
        let properties = properties_of(a.input.value()).chain(properties_of(b.input.value()));
        let properties = properties.map(|(name, schema)| (name.to_owned(), schema.clone())).collect();
        tool(&name, &description, &[&own], Value::Object(properties))
    };
    (0..count).map(made).collect()
}

/// Parts of words that the tools of [`many`] have for themselves.
const WORDS: [&str; 45] = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jasper", "kelp",
    "lagoon", "maple", "nectar", "onyx", "pearl", "quartz", "ridge", "saffron", "tundra", "umber", "velvet",
    "willow", "xenon", "yarrow", "zephyr", "acorn", "bramble", "copper", "dune", "elm", "fern", "garnet",
    "hazel", "iris", "juniper", "krill", "lilac", "moss", "nutmeg", "opal", "pine", "quill", "reed", "slate",
];
