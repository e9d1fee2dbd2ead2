//! The schemas of a tool of an MCP server as schemas of a declared tool.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::{Map, Value, json};
use toolcrib_toolset::{MAX_RESPONSE_VALUES, MAX_RESULT_BYTES, UpstreamTool, no_parameters, quoted};

use crate::{
    limits::{MAX_PLAIN_SCHEMA, is_larger},
    mapping::{flat_names, schema},
    parameters::{ImportedParameter, ParameterPlace},
    references::DocumentReferences,
    schema::{FlatSchema, SchemaReader, UnfitOperation, is_condition_only, takes_others},
    texts::is_clean,
};

pub struct ToolParameters {
    pub schema: Value,
    /// The names at the server of those that have another name there.
    pub keys: BTreeMap<String, String>,
}

/// Reads the schema of the arguments to this depth. `work` is what the import may still do.
pub fn parameters(
    tool: &UpstreamTool,
    depth: usize,
    work: &Cell<usize>,
    notes: &mut BTreeSet<String>,
) -> Result<ToolParameters, UnfitOperation> {
    let root = &tool.input_schema;
    let mut reader = SchemaReader::new(DocumentReferences::new(root), depth, work);
    let Some(flat) = reader.flatten(&[root])? else {
        return Err("has parameters that contain themselves".to_owned().into());
    };
    if flat.choice.is_some_and(|options| !is_condition_only(options)) {
        let reason = "has a choice between lists of parameters, which a tool can't have";
        return Err(reason.to_owned().into());
    }
    let types = flat.types();
    if !types.is_empty() && !types.contains(&"object") {
        return Err("has parameters that are no object".to_owned().into());
    }
    if flat.choice.is_some() {
        reader.note("a choice between groups of required properties was dropped");
    }
    // Every parameter has a name.
    if takes_others(&flat) {
        reader.note("the server takes other parameters too, which the tool does not");
    }
    let read = reader.inside(&flat, |reader| named_parameters(&flat, reader))?;
    if is_larger(&read.schema, MAX_PLAIN_SCHEMA) {
        let reason = format!("has parameters of more than {MAX_PLAIN_SCHEMA} bytes");
        return Err(UnfitOperation::TooDetailed(reason));
    }
    notes.append(&mut reader.notes);
    Ok(read)
}

/// Reads each property as a parameter.
fn named_parameters<'a>(
    flat: &FlatSchema<'a>,
    reader: &mut SchemaReader<'a>,
) -> Result<ToolParameters, UnfitOperation> {
    let mut parameters = Vec::new();
    for (key, schemas) in &flat.all_properties() {
        let required = flat.required.contains(key);
        let read = if is_clean(key) {
            reader.property(key, schemas, 2)
        } else {
            Err("has a name that is not possible".to_owned().into())
        };
        if let Some(schema) = reader.drop_unfit(read, &format!("property {}", quoted(key)), required)? {
            let (key, place) = ((*key).to_owned(), ParameterPlace::Body);
            parameters.push(ImportedParameter { key, place, required, schema });
        }
    }
    if parameters.is_empty() {
        return Ok(ToolParameters { schema: no_parameters(), keys: BTreeMap::new() });
    }
    let names = flat_names(&parameters);
    let pairs = names.iter().cloned().zip(parameters.iter().map(|parameter| parameter.key.clone()));
    let keys = pairs.filter(|(name, key)| name != key).collect();
    Ok(ToolParameters { schema: schema(parameters, names), keys })
}

/// Reads the schema of the result. `None` without one, and if it does not fit: then results are not checked.
pub fn output(
    tool: &UpstreamTool,
    depth: usize,
    work: &Cell<usize>,
    notes: &mut BTreeSet<String>,
) -> Option<Value> {
    let root = tool.output_schema.as_ref()?;
    let mut reader = SchemaReader::new(DocumentReferences::new(root), depth, work);
    match reader.read(root, 1) {
        Ok(mut read) => {
            keep_open(&mut read);
            let of_output = std::mem::take(&mut reader.notes).into_iter();
            notes.extend(of_output.map(|note| format!("schema of the result: {note}")));
            Some(read)
        }
        Err(UnfitOperation::TooDetailed(reason) | UnfitOperation::Reason(reason)) => {
            notes.insert(dropped_output(&reason));
            None
        }
    }
}

/// Says that results are not checked.
pub fn dropped_output(reason: &str) -> String {
    format!("the schema of the result was dropped, and results are not checked: it {reason}")
}

/// Writes down what the schema of a result does not bound, because the check would bound it as it bounds parameters. A
/// server may answer with a long text, many items, and properties that it does not list.
fn keep_open(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    let types = object.get("type").cloned().unwrap_or_default();
    let is = |kind: &str| types == kind || types.as_array().is_some_and(|types| types.contains(&json!(kind)));
    if is("string") && !object.contains_key("enum") {
        bound(object, "maxLength", MAX_RESULT_BYTES);
    }
    if is("array") {
        bound(object, "maxItems", MAX_RESPONSE_VALUES);
    }
    if is("object") && object.get("additionalProperties") != Some(&json!(false)) {
        object.entry("additionalProperties").or_insert(json!(true));
        object.insert("maxProperties".into(), json!(MAX_RESPONSE_VALUES));
        object.shift_remove("x-free");
    }
    for key in ["items", "additionalProperties"] {
        if let Some(part) = object.get_mut(key) {
            keep_open(part);
        }
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(keep_open);
    }
    if let Some(Value::Array(options)) = object.get_mut("anyOf") {
        options.iter_mut().for_each(keep_open);
    }
}

fn bound(object: &mut Map<String, Value>, key: &str, most: usize) {
    object.entry(key).or_insert(json!(most));
}
