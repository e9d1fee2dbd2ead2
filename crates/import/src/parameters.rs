//! The parameters of an operation that stand in its path, its query and its headers.

mod properties;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolcrib_toolset::{TemplatePart, quoted, template_parts, wrong_header};

use crate::{
    operation::OpenApiOperation,
    references::DocumentReferences,
    schema::{SchemaReader, UnfitOperation, UrlStyle, describe, remove_null},
    texts::is_clean,
};

use properties::refuse_secret;
pub use properties::{PropertyKey, SpreadObject, read_properties};

/// The header that lets a service recognise a repeated request.
const IDEMPOTENCY_HEADER: &str = "idempotency-key";
/// Headers that OpenAPI does not read as parameters.
const IGNORED_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// Where a parameter stands in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParameterPlace {
    /// A segment of the path, or a part of one.
    Path,
    Query,
    Header,
    Body,
}

impl ParameterPlace {
    /// Returns the word that tells parameters of one name apart.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Body => "body",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ImportedParameter {
    /// Its name in the request.
    pub key: String,
    /// Where it stands.
    pub place: ParameterPlace,
    /// Whether every call has it.
    pub required: bool,
    pub schema: Value,
}

/// What a request has beside its body.
#[derive(Debug, Default)]
pub struct RequestParameters {
    pub parameters: Vec<ImportedParameter>,
    /// The header in which the call's ID is sent.
    pub idempotency_header: Option<String>,
}

/// Reads the parameters of an operation. `credentials` are the headers that the upstream sets.
pub fn read_parameters<'a>(
    operation: &OpenApiOperation<'a>,
    references: DocumentReferences<'a>,
    credentials: &BTreeSet<String>,
    reader: &mut SchemaReader<'a>,
) -> Result<RequestParameters, UnfitOperation> {
    let mut request = RequestParameters::default();
    let in_path = path_parameters(operation.path)?;
    let declared = declared(operation, references)?;
    let in_query = declared.iter().filter(|parameter| parameter["in"] == "query");
    let mut taken = in_query.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect();
    for parameter in declared {
        let text = |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, place) = (text("name"), text("in"));
        let required = parameter.get("required") == Some(&Value::Bool(true)) || place == "path";
        let header = name.to_ascii_lowercase();
        match place {
            "path" if !in_path.contains(&name) => {
                reader.note(format!("the path has no {}; the parameter was dropped", quoted(name)));
            }
            "header" if IGNORED_HEADERS.contains(&header.as_str()) || credentials.contains(&header) => {
                reader.note(format!("the header {} is set by us; the parameter was dropped", quoted(name)));
            }
            "header" if header == IDEMPOTENCY_HEADER => request.idempotency_header = Some(name.to_owned()),
            _ => {
                let read = read_parameter(parameter, name, place, required, &mut taken, reader);
                let part = format!("parameter {}", quoted(name));
                request.parameters.extend(reader.drop_unfit(read, &part, required)?);
            }
        }
    }
    add_undeclared(&in_path, reader, &mut request.parameters);
    Ok(request)
}

/// Returns the parameters of the operation and of its path. The operation's take precedence.
fn declared<'a>(
    operation: &OpenApiOperation<'a>,
    references: DocumentReferences<'a>,
) -> Result<Vec<&'a Value>, UnfitOperation> {
    let lists = [operation.item.get("parameters"), operation.fields.get("parameters")];
    let mut found: Vec<&Value> = Vec::new();
    for parameter in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
        let parameter = references.resolve(parameter)?;
        let id = |parameter: &'a Value| (parameter.get("name"), parameter.get("in"));
        found.retain(|known| id(known) != id(parameter));
        found.push(parameter);
        if found.len() > 200 {
            return Err("has more than 200 parameters".to_owned().into());
        }
    }
    Ok(found)
}

fn path_parameters(path: &str) -> Result<Vec<&str>, UnfitOperation> {
    let parts = template_parts(path).map_err(|message| format!("has a path that {message}"))?;
    let names = parts.into_iter().filter_map(|part| match part {
        TemplatePart::Parameter(name) | TemplatePart::Pointer(name) => Some(name),
        TemplatePart::Text(_) => None,
    });
    Ok(names.collect())
}

/// Returns where a parameter stands, or why it can't stand there.
fn parameter_place(name: &str, place: &str) -> Result<ParameterPlace, UnfitOperation> {
    let place = match place {
        "path" => ParameterPlace::Path,
        "query" => ParameterPlace::Query,
        "header" => ParameterPlace::Header,
        "cookie" => return Err("stands in a cookie".to_owned().into()),
        other => return Err(format!("stands in {}", quoted(other)).into()),
    };
    if let Some(message) = wrong_header(name).filter(|_| place == ParameterPlace::Header) {
        let is_name = message.starts_with("is a reserved");
        let reason =
            if is_name { "is a reserved header" } else { "stands in a header with a name that is none" };
        return Err(reason.to_owned().into());
    }
    if name.is_empty() || !is_clean(name) || name.contains(['{', '}']) {
        return Err("has a name that is not possible".to_owned().into());
    }
    Ok(place)
}

/// Reads a parameter. An object in the query becomes several; `taken` are the keys of the query.
fn read_parameter<'a>(
    parameter: &'a Value,
    name: &str,
    place: &str,
    required: bool,
    taken: &mut BTreeSet<String>,
    reader: &mut SchemaReader<'a>,
) -> Result<Vec<ImportedParameter>, UnfitOperation> {
    let place = parameter_place(name, place)?;
    if let Some(style @ ("matrix" | "label")) = parameter.get("style").and_then(Value::as_str) {
        return Err(format!("has the style `{style}`; only `simple` is possible there").into());
    }
    if place == ParameterPlace::Query
        && let (Some(schema), Some(keys)) = (parameter.get("schema"), PropertyKey::of(parameter, "form"))
        && let Some(parameters) =
            read_properties(SpreadObject { name, place, required, keys }, &[schema], taken, reader)?
    {
        return Ok(parameters);
    }
    let text = parameter.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut schema = if let Some(schema) = parameter.get("schema") {
        reader.url_value(schema, style(parameter, place), text)?
    } else {
        let mut value = json!({ "type": "string" });
        let syntax = if parameter.get("content").is_some() { "JSON as text. " } else { "" };
        describe(&mut value, &format!("{syntax}{text}"), None);
        value
    };
    if place == ParameterPlace::Path && remove_null(&mut schema) {
        reader.note(format!("the parameter {} can't be null, because it stands in the path", quoted(name)));
    }
    refuse_secret(name, &schema)?;
    Ok(vec![ImportedParameter { key: name.to_owned(), place, required, schema }])
}

/// Returns how a list is written.
fn style(parameter: &Value, place: ParameterPlace) -> UrlStyle {
    let style = parameter.get("style").and_then(Value::as_str);
    let explode = parameter.get("explode").and_then(Value::as_bool);
    match (place, style) {
        (ParameterPlace::Query, Some("spaceDelimited")) if explode != Some(true) => {
            UrlStyle::Joined("spaces")
        }
        (ParameterPlace::Query, Some("pipeDelimited")) if explode != Some(true) => UrlStyle::Joined("`|`"),
        (ParameterPlace::Query, _) if explode != Some(false) => UrlStyle::Repeated,
        _ => UrlStyle::Joined("commas"),
    }
}

fn add_undeclared(in_path: &[&str], reader: &mut SchemaReader<'_>, parameters: &mut Vec<ImportedParameter>) {
    for name in in_path {
        let is_it = |known: &ImportedParameter| known.place == ParameterPlace::Path && known.key == *name;
        if !parameters.iter().any(is_it) {
            reader.note(format!(
                "the parameter {} of the path is not described; it became a string",
                quoted(name)
            ));
            parameters.push(ImportedParameter {
                key: (*name).to_owned(),
                place: ParameterPlace::Path,
                required: true,
                schema: json!({ "type": "string" }),
            });
        }
    }
}
