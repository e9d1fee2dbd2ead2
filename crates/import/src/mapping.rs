//! Makes the parameters of a tool flat, and maps them to its request.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolcrib_toolset::{HttpMapping, TemplatePart, template_parts};

use crate::{
    body::OperationBody,
    names::{MAX_PARAMETER_NAME, NameSource, distinct_names, parameter_name},
    operation::OpenApiOperation,
    parameters::{ImportedParameter, ParameterPlace, RequestParameters},
    schema::{mark_optional, mark_secret},
};

/// The parameters of a tool and its request.
pub struct MappedRequest {
    pub parameters: Value,
    pub http: HttpMapping,
}

/// Maps the parameters of an operation to its request. The error says why that is not possible.
pub fn map_request(
    operation: &OpenApiOperation<'_>,
    upstream: &str,
    request: RequestParameters,
    body: OperationBody,
) -> Result<MappedRequest, String> {
    let mut all = request.parameters;
    all.extend(body.parameters);
    all.sort_by_key(|parameter| parameter.place);
    let names = flat_names(&all);
    let mut mapping = HttpMapping {
        upstream: Some(upstream.to_owned()),
        method: operation.http_method,
        path: Some(path(operation.path, &all, &names)?),
        idempotency_header: request.idempotency_header,
        ..HttpMapping::default()
    };
    let mut fields = Map::new();
    for (parameter, name) in all.iter().zip(&names) {
        let (key, value) = (parameter.key.clone(), format!("{{{name}}}"));
        match parameter.place {
            ParameterPlace::Path => {}
            ParameterPlace::Query => {
                mapping.query.get_or_insert_default().insert(key, json!(value));
            }
            ParameterPlace::Header => {
                mapping.headers.get_or_insert_default().insert(key, value);
            }
            ParameterPlace::Body if body.is_whole => mapping.body = Some(json!(value)),
            ParameterPlace::Body => {
                fields.insert(key, json!(value));
            }
        }
    }
    if !fields.is_empty() {
        mapping.body = Some(Value::Object(fields));
    }
    if mapping.body.is_some() {
        (mapping.form, mapping.content_type) = (body.is_form.then_some(true), body.content_type);
    }
    Ok(MappedRequest { parameters: schema(all, names), http: mapping })
}

/// Returns the name of each parameter. Parameters of one key get the word of their place.
pub fn flat_names(parameters: &[ImportedParameter]) -> Vec<String> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for parameter in parameters {
        *uses.entry(&parameter.key).or_default() += 1;
    }
    let source = |parameter: &ImportedParameter| {
        let (key, place) = (parameter.key.clone(), parameter.place.as_str());
        let name = parameter_name(&key);
        let base = if uses.get(key.as_str()) == Some(&1) { name } else { format!("{name}_{place}") };
        NameSource { base, key, place: place.to_owned() }
    };
    let sources: Vec<NameSource> = parameters.iter().map(source).collect();
    distinct_names(&sources, MAX_PARAMETER_NAME, str::to_owned)
}

/// Returns the path below the base URL, with the names of the parameters.
fn path(path: &str, parameters: &[ImportedParameter], names: &[String]) -> Result<String, String> {
    let mut mapped = String::new();
    for part in template_parts(path.strip_prefix('/').unwrap_or(path))? {
        match part {
            TemplatePart::Text(text) => mapped.push_str(text),
            TemplatePart::Parameter(key) | TemplatePart::Pointer(key) => {
                let is_it = |parameter: &ImportedParameter| {
                    parameter.place == ParameterPlace::Path && parameter.key == key
                };
                let position = parameters.iter().position(is_it);
                let name = position.and_then(|at| names.get(at)).ok_or("has a path that can't be read")?;
                mapped.extend(["{", name.as_str(), "}"]);
            }
        }
    }
    Ok(mapped)
}

pub fn schema(parameters: Vec<ImportedParameter>, names: Vec<String>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (mut parameter, name) in parameters.into_iter().zip(names) {
        if parameter.required {
            required.push(name.clone());
        } else {
            mark_optional(&mut parameter.schema);
        }
        // A name that was made to fit may be that of a secret where the key is not.
        mark_secret(&name, &mut parameter.schema);
        properties.insert(name, parameter.schema);
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    if let Some(schema) = schema.as_object_mut().filter(|_| !required.is_empty()) {
        schema.insert("required".into(), json!(required));
    }
    schema
}
