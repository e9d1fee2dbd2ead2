//! A builder for one operation of the document.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use toolcrib_registry::required_of;

use super::{
    components::{HEADERS, problem_name},
    portable,
};

/// Bodies of operations whose rules are not all in their schemas, by the operation's ID.
static EXAMPLES: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

/// One operation, before it is converted to JSON.
pub(super) struct Operation {
    pub method: String,
    pub path: String,
    id: String,
    tag: String,
    summary: String,
    description: Option<String>,
    parameters: Vec<Value>,
    body: Option<(Value, bool)>,
    answers: Vec<(u16, Value)>,
    problems: Vec<u16>,
    /// Set if it differs from the document's security requirement.
    security: Option<Value>,
}

impl Operation {
    /// Creates an operation that needs a credential. Every name in braces is a path parameter.
    pub fn new(method: &str, path: &str, id: &str, tag: &str, summary: &str) -> Self {
        let headers =
            HEADERS.iter().map(|(name, ..)| json!({ "$ref": format!("#/components/parameters/{name}") }));
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            id: id.to_owned(),
            tag: tag.to_owned(),
            summary: summary.to_owned(),
            description: None,
            parameters: headers.collect(),
            body: None,
            answers: Vec::new(),
            // 404 because a header may name a mission that does not exist, 422 because a query may have an
            // unknown parameter.
            problems: vec![400, 401, 403, 404, 422, 429, 500, 503],
            security: None,
        }
    }

    /// Makes the operation callable without a credential. It keeps 400, which every path answers if the
    /// address contains a NUL.
    pub fn public(mut self) -> Self {
        self.security = Some(json!([]));
        self.parameters.clear();
        self.problems = vec![400];
        self
    }

    /// Makes the operation callable only with the secret of this security scheme.
    pub fn machine(mut self, scheme: &str) -> Self {
        self.security = Some(json!([{ scheme: [] }]));
        self.parameters.clear();
        self.problems.retain(|status| ![403, 404].contains(status));
        self
    }

    pub fn describe(mut self, text: &str) -> Self {
        self.description = Some(text.to_owned());
        self
    }

    /// Returns the names of the path parameters.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Adds path parameters and, if `query` is true, query parameters from the properties of a schema.
    pub fn parameters(mut self, schema: &Value, query: bool) -> Self {
        let required: Vec<&str> = required_of(schema).collect();
        let names: Vec<String> = self.names().map(str::to_owned).collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in &names {
            let own = properties.and_then(|all| all.get(name)).cloned();
            self.parameters.push(parameter("path", name, own.unwrap_or_else(|| part(name)), true));
        }
        let rest = properties.into_iter().flatten().filter(|(name, _)| query && !names.contains(name));
        for (name, own) in rest {
            self.parameters.push(parameter("query", name, own.clone(), required.contains(&name.as_str())));
        }
        self
    }

    /// Adds a request header.
    pub fn header(mut self, name: &str, text: &str, schema: Value) -> Self {
        let value =
            json!({ "name": name, "in": "header", "required": false, "description": text, "schema": schema });
        self.parameters.push(value);
        self
    }

    /// Adds a JSON body.
    pub fn body(mut self, schema: Value) -> Self {
        let needed = schema.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty());
        self.body = Some((portable::schema(schema), needed));
        self.problems.extend([413, 415]);
        self
    }

    /// Adds a success response with a JSON body.
    pub fn answers(self, status: u16, text: &str, schema: Value) -> Self {
        self.answers_as(status, text, "application/json", schema)
    }

    /// Adds a success response with another media type. A second media type of the same status is added to
    /// the first response.
    pub fn answers_as(mut self, status: u16, text: &str, kind: &str, schema: Value) -> Self {
        if let Some((_, known)) = self.answers.iter_mut().find(|(known, _)| *known == status) {
            known["content"][kind] = json!({ "schema": portable::schema(schema) });
            return self;
        }
        let headers = if self.security.is_some() { json!({}) } else { super::components::limit_headers() };
        let content = json!({ kind: { "schema": portable::schema(schema) } });
        self.answers.push((status, json!({ "description": text, "headers": headers, "content": content })));
        self
    }

    /// Adds a success response without a body.
    pub fn empty(mut self, status: u16, text: &str) -> Self {
        self.answers.push((status, json!({ "description": text })));
        self
    }

    /// Adds statuses of problem responses.
    pub fn problems(mut self, statuses: &[u16]) -> Self {
        self.problems.extend_from_slice(statuses);
        self
    }

    pub fn into_value(mut self) -> Value {
        self.problems.sort_unstable();
        self.problems.dedup();
        let mut responses: Map<String, Value> =
            self.answers.into_iter().map(|(status, answer)| (status.to_string(), answer)).collect();
        for status in self.problems {
            let name = format!("#/components/responses/{}", problem_name(status));
            responses.insert(status.to_string(), json!({ "$ref": name }));
        }
        let mut value = json!({ "operationId": self.id, "tags": [self.tag], "summary": self.summary });
        if let Some(text) = self.description {
            value["description"] = text.into();
        }
        if !self.parameters.is_empty() {
            value["parameters"] = self.parameters.into();
        }
        if let Some((schema, needed)) = self.body {
            let mut body = json!({ "schema": schema });
            if let Some(example) = EXAMPLES.get(&*self.id) {
                body["example"] = example.clone();
            }
            value["requestBody"] = json!({ "required": needed, "content": { "application/json": body } });
        }
        value["responses"] = responses.into();
        if let Some(security) = self.security {
            value["security"] = security;
        }
        value
    }
}

/// Returns the schema of a path parameter that the operation's schema does not describe.
fn part(name: &str) -> Value {
    let about = match name {
        "name" => "The action's name.",
        "code" => "The error's code.",
        "operation" => "The operation's ID in the OpenAPI document.",
        "guide" => "The guide's name.",
        "grant_id" => "The grant's id.",
        _ => "The id.",
    };
    json!({ "type": "string", "description": about })
}

/// Returns one parameter. Moves the description from the schema to the parameter.
fn parameter(place: &str, name: &str, schema: Value, required: bool) -> Value {
    let mut schema = portable::schema(schema);
    let text = schema.as_object_mut().and_then(|own| own.shift_remove("description"));
    let mut value = json!({ "name": name, "in": place, "required": required, "schema": schema });
    if let Some(text) = text {
        value["description"] = text;
    }
    value
}
