//! Packs: compiled actions beside the platform's own, with their tables, settings and phrases.
//!
//! A pack is switched on for each workspace. Its switch is in the policy that is read with every call, so that
//! decisions, lists and their cache know it without another statement.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolcrib_discovery::OverlaySearch;
use toolcrib_registry::{
    ActionMeta, ArgError, Category, Defect, InputSchema, PackInfo, ToolState, schema_of,
};
use toolcrib_store::{PackSchema, Tx, packs};

use super::{Action, ReadCx};
use crate::base::{ActionError, compute_large};

/// The fewest phrases of an action: the search knows an action of a pack only by these and by its own texts.
const MIN_PHRASES: usize = 3;

/// A pack: what `toolcrib::run` takes. [`Pack::new`] makes one without tables and settings. Cheap to clone.
#[derive(Clone)]
pub struct Pack {
    /// The pack's name and words.
    pub info: &'static PackInfo,
    /// Makes the actions. All have the category `Category::Pack(info)`.
    pub actions: fn() -> Vec<Action>,
    /// A header of requests, such as `X-Project-Id`, whose value `caller.pack_contexts` has. It is kept with a
    /// confirmation.
    pub context_header: Option<&'static str>,
    /// The pack's own tables.
    pub schema: Option<Arc<PackSchema>>,
    /// The type of the settings that a workspace gives the pack.
    pub settings: Option<Arc<PackSettings>>,
    /// The services that the pack's actions ask: upstreams of the workspace.
    pub upstreams: &'static [UpstreamNeed],
    /// What people write when they want an action: a line for each, the action's name, a tab, the phrase. At least
    /// three for each action.
    pub phrases: &'static str,
    /// One valid call of each action, in an order in which they succeed in an empty workspace, as a JSON list. Each has
    /// `action` and `params`, may have `before`, calls to make first, and may `save` fields of its output by names,
    /// which stand with a `$` in later parameters. The tests that go over all actions make these calls.
    pub calls: &'static str,
    /// Returns what a run of the assistant is told of the pack when it begins: data of the workspace, such as the names
    /// of what a person talks about. Only callers with the pack's permission to read get it.
    pub brief: Option<Brief>,
}

/// See [`Pack::brief`]. At most 1,000 characters are told.
pub type Brief = for<'c> fn(ReadCx<'c>) -> BoxFuture<'c, Result<Option<String>, ActionError>>;

/// A service that a pack's actions ask.
#[derive(Clone, Copy, Debug)]
pub struct UpstreamNeed {
    pub name: &'static str,
    /// What the pack asks it for.
    pub purpose: &'static str,
    /// The usual address; `None` for a server of the house.
    pub base_url: Option<&'static str>,
    /// The header in which the secret is sent; `None` for a bearer token.
    pub auth_header: Option<&'static str>,
    /// Returns why a text can't be a secret of the service; it is refused when it is set.
    pub wrong_secret: Option<fn(&str) -> Option<&'static str>>,
}

/// The type of a pack's settings: their schema and the rules, by which they are checked.
pub struct PackSettings {
    schema: InputSchema,
    default: Value,
    rules: Rules,
}

/// Returns the defects of settings that fit their schema.
type Rules = Box<dyn Fn(&Value) -> Vec<ArgError> + Send + Sync>;

impl Pack {
    /// Makes a pack of these actions.
    pub fn new(info: &'static PackInfo, actions: fn() -> Vec<Action>) -> Self {
        Self {
            info,
            actions,
            context_header: None,
            schema: None,
            settings: None,
            upstreams: &[],
            phrases: "",
            calls: "",
            brief: None,
        }
    }

    /// Returns the names of the actions that the pack's calls call.
    fn called(&self) -> Result<Vec<String>, serde_json::Error> {
        #[derive(Deserialize)]
        struct Called {
            action: String,
            #[serde(default)]
            before: Vec<Called>,
        }
        let calls: Vec<Called> =
            if self.calls.is_empty() { Vec::new() } else { serde_json::from_str(self.calls)? };
        Ok(calls
            .into_iter()
            .flat_map(|call| call.before.into_iter().map(|one| one.action).chain([call.action]))
            .collect())
    }

    /// Returns what is wrong with the pack, beside the defects of single actions.
    fn defects(&self, actions: &[Action]) -> Vec<Defect> {
        let mut defects = Vec::new();
        let mut say = |message: String| defects.push(Defect { action: self.info.slug.to_owned(), message });
        if self.schema.as_ref().is_some_and(|schema| schema.slug() != self.info.slug) {
            say("its tables have another slug".to_owned());
        }
        let called = self.called().unwrap_or_else(|error| {
            say(format!("its calls can't be read: {error}"));
            Vec::new()
        });
        let metas: Vec<&ActionMeta> = actions.iter().filter_map(|action| action.meta.as_ref().ok()).collect();
        for meta in &metas {
            let name = &*meta.spec.name;
            if meta.spec.category != Category::Pack(self.info) {
                say(format!("`{name}` has another category than its pack"));
            }
            let phrases = tsv(self.phrases).filter(|(action, _)| *action == name).count();
            if phrases < MIN_PHRASES {
                say(format!("`{name}` has {phrases} phrases; it needs at least {MIN_PHRASES}"));
            }
            if !called.contains(&meta.spec.name.to_string()) {
                say(format!("`{name}` is not in the pack's calls; the tests could not call it"));
            }
        }
        let known = |name: &str| metas.iter().any(|meta| *meta.spec.name == *name);
        let named = tsv(self.phrases).map(|(name, _)| name).chain(called.iter().map(String::as_str));
        for name in named.filter(|name| !known(name)).collect::<BTreeSet<_>>() {
            say(format!("its phrases or calls name `{name}`, which is no action of it"));
        }
        defects
    }
}

/// Returns the lines of a text as two columns.
fn tsv(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter_map(|line| line.split_once('\t'))
}

impl PackSettings {
    /// Makes the type of the settings. A workspace that gave none has the default.
    ///
    /// # Panics
    ///
    /// If the type's schema is not valid, or its default can't be written as JSON.
    pub fn of<T: JsonSchema + Serialize + DeserializeOwned + Default + 'static>() -> Self {
        Self::with_rules::<T>(|_| Vec::new())
    }

    /// Like [`PackSettings::of`], with rules that the schema can't express: `rules` returns every defect of settings
    /// that fit the schema, each with its pointer into the settings.
    ///
    /// # Panics
    ///
    /// As [`PackSettings::of`].
    #[expect(clippy::expect_used, reason = "a defect of the type, found at every start")]
    pub fn with_rules<T: JsonSchema + Serialize + DeserializeOwned + Default + 'static>(
        rules: fn(&T) -> Vec<ArgError>,
    ) -> Self {
        let schema = InputSchema::new(schema_of::<T>()).expect("the schema of the settings is valid");
        let default = serde_json::to_value(T::default()).expect("the default settings are JSON");
        let rules = move |settings: &Value| match T::deserialize(settings) {
            Ok(settings) => rules(&settings),
            Err(error) => vec![ArgError::new("", "settings", error.to_string())],
        };
        Self { schema, default, rules: Box::new(rules) }
    }

    /// Returns the schema, for forms.
    pub fn schema(&self) -> &Value {
        self.schema.value()
    }

    /// Returns the settings that apply where a workspace gave these: the defaults stand for what they leave out.
    pub fn with_defaults(&self, given: &Value) -> Value {
        let mut whole = self.default.clone();
        if let (Some(whole), Some(given)) = (whole.as_object_mut(), given.as_object()) {
            whole.extend(given.clone());
        }
        whole
    }

    /// Returns every defect of the settings: by the schema, and by the rules. Where members don't fit the schema, the
    /// rules judge the settings without them.
    pub fn check(&self, settings: &mut Value) -> Vec<ArgError> {
        let mut errors = self.schema.check(settings);
        if errors.is_empty() {
            return (self.rules)(settings);
        }
        let mut fitting = settings.clone();
        let Some(members) = fitting.as_object_mut() else { return errors };
        let unfit = |name: &str| errors.iter().any(|error| error.pointer.split('/').nth(1) == Some(name));
        members.retain(|name, _| !unfit(name));
        // What the rest lacks may be required, so that an error of the whole says nothing.
        errors.extend((self.rules)(&fitting).into_iter().filter(|error| !error.pointer.is_empty()));
        errors
    }
}

/// A pack as the catalogue holds it.
pub struct CatalogPack {
    pub pack: Pack,
    /// Whether the operator lets workspaces switch it on.
    pub offered: bool,
    /// The index of its actions, which the first search in a workspace that has the pack builds.
    search: OnceLock<OverlaySearch>,
}

impl CatalogPack {
    pub fn slug(&self) -> &'static str {
        self.pack.info.slug
    }

    /// Returns the search index of the pack's actions, which are among `all`.
    pub(super) fn search<'m>(&self, all: impl Iterator<Item = &'m ActionMeta>) -> &OverlaySearch {
        let own = all.filter(|meta| meta.spec.category == Category::Pack(self.pack.info));
        let build =
            || self.search.get_or_init(|| OverlaySearch::of_pack(self.pack.info, own, self.pack.phrases));
        // It learns the phrases, which takes the time of hundreds of searches.
        self.search.get().unwrap_or_else(|| compute_large(usize::MAX, build))
    }
}

/// Returns the packs for a catalogue and appends their actions to `actions`, or returns every defect. Packs that are
/// not in `offered` can't be switched on; `None` offers all.
pub(super) fn register(
    packs: &[Pack],
    offered: Option<&[String]>,
    actions: &mut Vec<Action>,
) -> Result<Vec<CatalogPack>, Vec<Defect>> {
    let mut defects = unknown(packs, offered.unwrap_or_default());
    let mut registered: Vec<CatalogPack> = Vec::new();
    for pack in packs {
        let own = (pack.actions)();
        defects.extend(pack.defects(&own));
        if registered.iter().any(|other| other.slug() == pack.info.slug) {
            defects.push(defect(pack.info.slug, "another pack has the same slug"));
        }
        let offered = offered.is_none_or(|offered| offered.iter().any(|slug| slug == pack.info.slug));
        actions.extend(own.into_iter().map(|mut action| {
            if let (Ok(meta), false) = (&mut action.meta, offered) {
                meta.spec.state = ToolState::NotOffered;
            }
            action
        }));
        registered.push(CatalogPack { pack: pack.clone(), offered, search: OnceLock::new() });
    }
    if defects.is_empty() { Ok(registered) } else { Err(defects) }
}

/// Returns a defect for each pack that the operator offers and this build lacks.
fn unknown(packs: &[Pack], offered: &[String]) -> Vec<Defect> {
    let lacks = |slug: &&String| packs.iter().all(|pack| pack.info.slug != **slug);
    let message = "is offered with `packs`, but this build has no such pack";
    offered.iter().filter(lacks).map(|slug| defect(slug, message)).collect()
}

fn defect(slug: &str, message: &str) -> Defect {
    Defect { action: slug.to_owned(), message: message.to_owned() }
}

/// Returns the settings that the workspace gave a pack, or the default. Settings that an older build stored and that
/// this one can't read are 409, and nothing runs with others.
pub async fn pack_settings<T: DeserializeOwned + Default>(
    tx: &mut Tx,
    pack: &PackInfo,
) -> Result<T, ActionError> {
    let row = packs::get(tx, pack.slug).await?;
    let Some(text) = row.and_then(|row| row.settings) else { return Ok(T::default()) };
    serde_json::from_str(&text).map_err(|_| {
        ActionError::conflict(format!(
            "the settings of the pack `{}` don't fit this version of it",
            pack.slug
        ))
        .hint(format!("ask an admin to set them again: `PATCH /v1/packs/{}`", pack.slug))
    })
}
