//! The body of a request.

use std::collections::BTreeSet;

use serde_json::Value;
use toolcrib_toolset::quoted;

use crate::{
    media_type::{BodySyntax, choose, sent_type},
    operation::OpenApiOperation,
    parameters::{ImportedParameter, ParameterPlace, PropertyKey, SpreadObject, read_properties},
    references::DocumentReferences,
    schema::{ANY, FlatSchema, SchemaReader, UnfitOperation, UrlStyle, takes_others},
    texts::is_clean,
};

/// The parameter for a body that is no object.
const BODY: &str = "body";
/// The depth of a parameter's schema.
const PARAMETER_DEPTH: usize = 2;

#[derive(Debug, Default)]
pub struct OperationBody {
    pub parameters: Vec<ImportedParameter>,
    /// Whether its one parameter is the whole body.
    pub is_whole: bool,
    /// Whether it is sent as a form.
    pub is_form: bool,
    /// The media type that it is sent with, if that is not the usual one.
    pub content_type: Option<String>,
}

/// Reads the body of an operation's request.
pub fn read_body<'a>(
    operation: &OpenApiOperation<'a>,
    references: DocumentReferences<'a>,
    reader: &mut SchemaReader<'a>,
) -> Result<OperationBody, UnfitOperation> {
    let Some(body) = operation.fields.get("requestBody") else { return Ok(OperationBody::default()) };
    let body = references.resolve(body)?;
    let required = body.get("required") == Some(&Value::Bool(true));
    if operation.http_method.is_some_and(|method| !method.has_body()) {
        if required {
            return Err("has a body, which is not possible with its method".to_owned().into());
        }
        reader.note("the body was dropped; it is not possible with this method");
        return Ok(OperationBody::default());
    }
    let Some(content) = body.get("content").and_then(Value::as_object).filter(|content| !content.is_empty())
    else {
        return Ok(OperationBody::default());
    };
    let Some((syntax, name, media)) = choose(content) else {
        let names: Vec<String> = content.keys().take(3).map(|name| quoted(name)).collect();
        return Err(format!("has a body of {}; only JSON and forms are possible", names.join(", ")).into());
    };
    let schema = media.get("schema").unwrap_or(&ANY);
    let read = match (reader.flatten(&[schema])?, syntax) {
        (Some(flat), syntax) if is_flat_object(&flat) => {
            let encoding =
                (syntax == BodySyntax::Form).then(|| media.get("encoding").unwrap_or(&Value::Null));
            reader.inside(&flat, |reader| fields(&flat, encoding, reader))
        }
        (_, BodySyntax::Form) => Err("has a form that is no object with properties".to_owned().into()),
        _ => whole(schema, required, reader),
    };
    let content_type = (syntax == BodySyntax::Json).then(|| sent_type(name)).flatten().map(str::to_owned);
    Ok(OperationBody { content_type, ..read? })
}

fn is_flat_object(flat: &FlatSchema<'_>) -> bool {
    flat.choice.is_none() && !flat.properties.is_empty() && flat.types() == ["object"]
}

/// Reads an object: each property is a parameter. A form has an `encoding`.
fn fields<'a>(
    flat: &FlatSchema<'a>,
    encoding: Option<&Value>,
    reader: &mut SchemaReader<'a>,
) -> Result<OperationBody, UnfitOperation> {
    let mut body = OperationBody { is_form: encoding.is_some(), ..OperationBody::default() };
    if takes_others(flat) {
        reader.note("the body may have other properties, which the tool does not take");
    }
    let properties = flat.all_properties();
    let mut taken = properties.iter().map(|(name, _)| (*name).to_owned()).collect();
    for (name, schemas) in &properties {
        let required = flat.required.contains(name);
        let read = read_field(name, required, schemas, encoding, &mut taken, reader);
        let part = format!("property {}", quoted(name));
        body.parameters.extend(reader.drop_unfit(read, &part, required)?);
    }
    Ok(body)
}

/// Reads a property. It becomes no parameter if only the service sets it, and several if it is an object in a form
/// whose encoding spreads it; `taken` are the keys of the form.
fn read_field<'a>(
    name: &str,
    required: bool,
    schemas: &[&'a Value],
    encoding: Option<&Value>,
    taken: &mut BTreeSet<String>,
    reader: &mut SchemaReader<'a>,
) -> Result<Vec<ImportedParameter>, UnfitOperation> {
    if !is_clean(name) || name.contains(['{', '}']) {
        return Err("has a name that is not possible".to_owned().into());
    }
    let place = ParameterPlace::Body;
    let schema = match encoding {
        Some(encoding) => {
            let encoding = encoding.get(name).unwrap_or(&Value::Null);
            if let Some(keys) = PropertyKey::of(encoding, "")
                && let Some(parameters) =
                    read_properties(SpreadObject { name, place, required, keys }, schemas, taken, reader)?
            {
                return Ok(parameters);
            }
            let is_joined = encoding.get("explode") == Some(&Value::Bool(false));
            let style = if is_joined { UrlStyle::Joined("commas") } else { UrlStyle::Repeated };
            reader.form_value(name, schemas, style)?
        }
        None => reader.property(name, schemas, PARAMETER_DEPTH)?,
    };
    let parameter = |schema| ImportedParameter { key: name.to_owned(), place, required, schema };
    Ok(schema.map(parameter).into_iter().collect())
}

/// Reads a body that is no object with properties: one parameter.
fn whole<'a>(
    schema: &'a Value,
    required: bool,
    reader: &mut SchemaReader<'a>,
) -> Result<OperationBody, UnfitOperation> {
    let schema = reader.read(schema, PARAMETER_DEPTH)?;
    let parameter = ImportedParameter { key: BODY.to_owned(), place: ParameterPlace::Body, required, schema };
    Ok(OperationBody { parameters: vec![parameter], is_whole: true, ..OperationBody::default() })
}
