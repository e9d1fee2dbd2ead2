//! The operations of a document.

use serde_json::{Map, Value};
use toolcrib_toolset::HttpMethod;

use crate::{
    names::{NameSource, tool_name},
    references::DocumentReferences,
    texts::clean_line,
};

/// The methods of OpenAPI.
const METHODS: [(&str, Option<HttpMethod>); 9] = [
    ("get", Some(HttpMethod::Get)),
    ("put", Some(HttpMethod::Put)),
    ("post", Some(HttpMethod::Post)),
    ("delete", Some(HttpMethod::Delete)),
    ("options", None),
    ("head", Some(HttpMethod::Head)),
    ("patch", Some(HttpMethod::Patch)),
    ("trace", None),
    ("query", None),
];

pub struct OpenApiOperation<'a> {
    /// Method in small letters.
    pub method: &'a str,
    /// Method, if a tool can have it.
    pub http_method: Option<HttpMethod>,
    /// Path in the document, such as `/tickets/{id}`.
    pub path: &'a str,
    /// What is common to the operations of the path.
    pub item: &'a Map<String, Value>,
    /// What the document says about the operation.
    pub fields: &'a Value,
}

impl<'a> OpenApiOperation<'a> {
    /// Returns the text of a field, or an empty text.
    pub fn text(&self, key: &str) -> &'a str {
        self.fields.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the operation's ID, if it has one.
    pub fn id(&self) -> Option<&'a str> {
        self.fields.get("operationId").and_then(Value::as_str)
    }

    /// Returns what the name of its tool is made of.
    pub fn name_source(&self) -> NameSource {
        NameSource {
            base: tool_name(self.id(), self.method, self.path),
            key: self.id().unwrap_or_default().to_owned(),
            place: path_label(self.method, self.path),
        }
    }

    /// Returns the name by which people know the operation: its ID, or its method and path.
    pub fn label(&self) -> String {
        let id = clean_line(self.id().unwrap_or_default(), 200);
        if id.is_empty() { path_label(self.method, self.path) } else { id }
    }

    /// Returns the servers that only this operation has.
    pub fn servers(&self) -> Option<&'a Value> {
        self.fields.get("servers").or_else(|| self.item.get("servers"))
    }
}

fn path_label(method: &str, path: &str) -> String {
    clean_line(&format!("{} {path}", method.to_ascii_uppercase()), 200)
}

/// Returns the operations in the order of the document. A path that can't be read has its reason instead.
pub fn operations<'a>(
    document: &'a Value,
    references: DocumentReferences<'a>,
) -> Vec<Result<OpenApiOperation<'a>, (String, String)>> {
    let paths = document.get("paths").and_then(Value::as_object);
    let mut found = Vec::new();
    for (path, item) in paths.into_iter().flatten().filter(|(path, _)| !path.starts_with("x-")) {
        match references.resolve(item).map(Value::as_object) {
            Err(reason) => found.push(Err((clean_line(path, 200), reason))),
            Ok(None) => found.push(Err((clean_line(path, 200), "is no object".to_owned()))),
            Ok(Some(item)) => {
                let known = |key: &str| METHODS.iter().find(|(method, _)| *method == key);
                let operations = item.iter().filter_map(|(key, fields)| Some((known(key)?, fields)));
                found.extend(operations.map(|((method, http_method), fields)| {
                    if fields.is_object() {
                        Ok(OpenApiOperation { method, http_method: *http_method, path, item, fields })
                    } else {
                        Err((path_label(method, path), "is no object".to_owned()))
                    }
                }));
            }
        }
    }
    found
}
