//! The catalogue of actions: their specs, their schemas and their rendering for models.
//!
//! Depends on `model` only and does no I/O. Does not decide who may call an action; callers pass the allowed
//! actions.
//!
//! To add a flag to actions: a field and a builder in [`Spec`], a rule in `lint`, a column in the golden
//! table.

mod access_rule;
mod caller_default;
mod calls;
mod category;
mod coerce;
mod declared;
mod digest;
mod dispatcher;
mod formats;
mod lenient_json;
mod level;
mod likeness;
mod lint;
mod meta;
mod model_text;
mod names;
mod pack;
mod permission;
mod prompt;
mod registry;
mod repair;
mod schema;
mod spec;
mod spelling;
#[cfg(test)]
mod tests;
mod untrusted;
mod validate;

pub use access_rule::{AccessibleBy, slug_form};
pub use caller_default::{CallerDefault, CallerDefaults};
pub use calls::{Answer, Item, RawArguments, parse_broken, parse_item, render_messages};
pub use category::Category;
pub use coerce::{coerce, coerce_integers, is_nothing};
pub use declared::DeclaredTools;
pub use digest::{digest, sorted_and_digest};
pub use dispatcher::{Detail, Dispatcher, dispatcher_tool, signature};
pub use formats::{
    Allocation, DroppedKeyword, Format, NotStrict, StrictUsage, Tool, allocate_strict, carried,
    dropped_keywords, estimated_tokens, read_json_texts, render, strict_anthropic, strict_dropped_keywords,
    strict_openai, tool_choice,
};
pub use lenient_json::{TextRepair, parse_lenient};
pub use level::{ConfirmationLevel, Level, LimitClass, ToolState};
pub use likeness::{edit_distance, nearest};
pub use lint::{Defect, lint};
pub use meta::ActionMeta;
pub use model_text::{
    Completion, MODEL_TEXT_LIMIT, RefusalText, completed, problem_message, refused, to_run, waiting,
};
pub use names::{DISPATCHER, FIND_TOOLS, LIST_TOOLS, PREFIX, TOOLS_DISPATCHER};
pub use pack::{PackInfo, is_pack_slug, is_reserved_slug};
pub use permission::{Permission, PermissionResource, Verb, is_toolset_slug};
pub use prompt::{first_sentence, prompt};
pub use registry::{ActionRegistry, RegistryId};
pub use repair::{
    Correction, DispatchError, DispatcherCall, NamedTool, Repairs, ToolName, call_of, correct, example_call,
    has_prefix, named_tool, unwrap_direct, unwrap_dispatch,
};
pub use schema::{InputSchema, StoredSchema, output_schema_of, properties_of, required_of, schema_of};
pub use spec::{ActionKind, Condition, Escalation, ParamPermission, Spec};
pub use untrusted::sentence as untrusted_sentence;
pub use validate::{ArgError, accepts_null, deserialize};
