//! Schemas as tables: a row for each field, nested fields under the name of the outer one.

use serde_json::Value;
use toolcrib_registry::{properties_of, required_of};

use super::html::{Table, code, code_words, escape, row};

/// How deep nested fields are shown.
const MAX_DEPTH: usize = 7;
/// How many references are followed in a row. More are a circle.
const MAX_REFERENCES: usize = 8;

/// Schemas that may refer to these components.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'a> {
    pub components: &'a Value,
}

/// A field of an object: its name, its schema, and whether every object has it.
pub(super) struct Field<'a> {
    pub name: &'a str,
    pub schema: &'a Value,
    pub required: bool,
}

/// What is around a field.
#[derive(Clone, Copy)]
struct Place<'p, 'a> {
    path: &'p str,
    depth: usize,
    /// The referred schemas that the field is part of.
    open: &'p [&'a str],
}

impl<'a> Place<'_, 'a> {
    fn inside<'q>(self, path: &'q str, open: &'q [&'a str]) -> Place<'q, 'a> {
        Place { path, depth: self.depth + 1, open }
    }
}

impl<'a> Schemas<'a> {
    /// Renders the fields of a schema as a table, or says what it is if it has none.
    pub fn fields(self, schema: &'a Value, caption: &str) -> String {
        let mut rows = String::new();
        self.children(&mut rows, schema, Place { path: "", depth: 0, open: &[] });
        if rows.is_empty() {
            return format!("<p>{}: {}.</p>\n", escape(caption), self.kind(schema));
        }
        Table { class: "fields", caption, columns: ["Field", "Meaning"] }.html(&rows)
    }

    /// Follows the references of a schema. Returns the last name too.
    pub fn resolve(self, mut schema: &'a Value) -> (&'a Value, Option<&'a str>) {
        let mut name = None;
        for _ in 0..MAX_REFERENCES {
            let Some(at) = schema.get("$ref").and_then(Value::as_str) else { break };
            let target = at.strip_prefix("#/components").and_then(|at| self.components.pointer(at));
            let Some(target) = target else { break };
            (schema, name) = (target, at.rsplit('/').next());
        }
        (schema, name)
    }

    /// Returns the fields of an object, its own before those of its `allOf`, of which the last is the most specific.
    pub fn fields_of(self, schema: &'a Value) -> Vec<Field<'a>> {
        self.fields_within(schema, MAX_REFERENCES)
    }

    fn fields_within(self, schema: &'a Value, left: usize) -> Vec<Field<'a>> {
        let (schema, _) = self.resolve(schema);
        let parts = schema.get("allOf").and_then(Value::as_array).filter(|_| left > 0);
        let own = properties_of(schema).map(|(name, schema)| Field { name, schema, required: false });
        let others = parts.into_iter().flatten().rev().flat_map(|part| self.fields_within(part, left - 1));
        let mut fields: Vec<Field<'a>> = Vec::new();
        for field in own.chain(others) {
            match fields.iter_mut().find(|known| known.name == field.name) {
                Some(known) => known.required |= field.required,
                None => fields.push(field),
            }
        }
        for name in required_of(schema) {
            fields.iter_mut().filter(|field| field.name == name).for_each(|field| field.required = true);
        }
        fields
    }

    fn children(self, rows: &mut String, schema: &'a Value, place: Place<'_, 'a>) {
        let (schema, name) = self.resolve(schema);
        if place.depth > MAX_DEPTH || name.is_some_and(|name| place.open.contains(&name)) {
            return;
        }
        let open: Vec<&str> = place.open.iter().copied().chain(name).collect();
        let values = schema.get("additionalProperties").filter(|values| values.is_object());
        let any = values.map(|schema| Field { name: "*", schema, required: false });
        for field in self.fields_of(schema).into_iter().chain(any) {
            let path = if place.path.is_empty() {
                field.name.to_owned()
            } else {
                format!("{}.{}", place.path, field.name)
            };
            self.row(rows, &field, place.inside(&path, &open));
        }
        if let Some(items) = schema.get("items") {
            self.children(rows, items, place.inside(&format!("{}[]", place.path), &open));
        }
        let choices: Vec<&Value> = choices(schema).filter(|choice| self.has_fields(choice)).collect();
        for (n, choice) in choices.iter().enumerate() {
            if choices.len() > 1 {
                self.choice(rows, choice, n, place.path);
            }
            self.children(rows, choice, Place { open: &open, ..place });
        }
    }

    fn has_fields(self, schema: &'a Value) -> bool {
        let (schema, _) = self.resolve(schema);
        ["properties", "items", "allOf", "anyOf", "oneOf"].iter().any(|word| schema.get(word).is_some())
    }

    /// Writes the row above the fields of one of several forms.
    fn choice(self, rows: &mut String, schema: &'a Value, n: usize, path: &str) {
        let (resolved, name) = self.resolve(schema);
        let about = resolved.get("description").and_then(Value::as_str).unwrap_or_default();
        let what = if path.is_empty() { String::new() } else { format!(" of {}", code(path)) };
        let title =
            name.or_else(|| resolved.get("title").and_then(Value::as_str)).map(code).unwrap_or_default();
        rows.push_str(&row(&format!("<strong>Form {}{what}</strong> {title}", n + 1), &code_words(about)));
    }

    fn row(self, rows: &mut String, field: &Field<'a>, place: Place<'_, 'a>) {
        let (schema, name) = self.resolve(field.schema);
        let text = [field.schema, schema]
            .iter()
            .find_map(|schema| schema.get("description")?.as_str())
            .unwrap_or_default();
        let mut meaning: Vec<String> = vec![code_words(text)];
        meaning.extend(limits(schema, text));
        if name.is_some_and(|name| place.open.contains(&name)) {
            meaning.push("The same fields as above.".to_owned());
        } else if place.depth > MAX_DEPTH {
            meaning.push("Its fields are in <a href=\"/openapi.json\">openapi.json</a>.".to_owned());
        }
        meaning.retain(|part| !part.is_empty());
        let outer = place.path.strip_suffix(field.name).unwrap_or_default();
        let name =
            format!("<code><span class=\"muted\">{}</span>{}</code>", escape(outer), escape(field.name));
        rows.push_str(&row(&about(&name, &self.kind(field.schema), field.required), &meaning.join(" ")));
        self.children(rows, field.schema, place);
    }

    /// Returns the type of a schema in words, as HTML.
    pub fn kind(self, schema: &'a Value) -> String {
        self.kind_within(schema, MAX_DEPTH)
    }

    fn kind_within(self, schema: &'a Value, left: usize) -> String {
        let (schema, name) = self.resolve(schema);
        if let Some(constant) = schema.get("const") {
            return format!("always {}", json_code(constant));
        }
        if choices(schema).next().is_some() && left > 0 {
            let mut kinds: Vec<String> =
                choices(schema).map(|choice| self.kind_within(choice, left - 1)).collect();
            kinds.dedup();
            return kinds.join(" or ");
        }
        let item = schema.get("items").filter(|_| left > 0).map(|items| self.kind_within(items, left - 1));
        let one = |kind: &str| match (kind, &item, schema.get("format").and_then(Value::as_str)) {
            ("array", Some(item), _) => format!("list of {item}"),
            ("string", _, Some(format)) => format!("string ({})", escape(format)),
            _ => escape(kind),
        };
        let words = match schema.get("type") {
            Some(Value::String(kind)) => one(kind),
            Some(Value::Array(kinds)) => {
                kinds.iter().filter_map(Value::as_str).map(one).collect::<Vec<_>>().join(" or ")
            }
            _ if schema.get("allOf").is_some() || schema.get("properties").is_some() => "object".to_owned(),
            _ if schema.pointer("/enum/0").is_some_and(Value::is_string) => "string".to_owned(),
            _ => "any value".to_owned(),
        };
        name.map_or(words.clone(), |name| format!("{words} ({})", escape(name)))
    }
}

/// Returns the first cell of a field's row: its name, its type and whether it is required.
pub(super) fn about(name: &str, kind: &str, required: bool) -> String {
    let needed = if required { ", <strong>required</strong>" } else { "" };
    format!("{name}<br><small>{kind}{needed}</small>")
}

/// Returns the forms that a value may have.
pub(super) fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"].iter().filter_map(|word| schema.get(word)?.as_array()).flatten()
}

/// Returns the limits of a value as sentences in HTML. Words that the description has already are left out.
pub(super) fn limits(schema: &Value, description: &str) -> Vec<String> {
    let ranges = [
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
        ("minProperties", "maxProperties", " fields"),
        ("minimum", "maximum", ""),
    ];
    let range = ranges.iter().filter_map(|(least, most, unit)| match (schema.get(least), schema.get(most)) {
        (Some(least), Some(most)) => Some(escape(&format!("{least} to {most}{unit}."))),
        (Some(least), None) => Some(escape(&format!("At least {least}{unit}."))),
        (None, Some(most)) => Some(escape(&format!("At most {most}{unit}."))),
        (None, None) => None,
    });
    let mut sentences: Vec<String> = range.collect();
    let words =
        |list: &Value| list.as_array().map(|all| all.iter().map(json_code).collect::<Vec<_>>().join(", "));
    let is_named = |list: &&Value| {
        let mut words = list.as_array().into_iter().flatten();
        words.all(|word| word.as_str().is_some_and(|word| description.contains(&format!("`{word}`"))))
    };
    for (schema, start) in [(Some(schema), "One of"), (schema.get("items"), "Each is one of")] {
        let list = schema.and_then(|schema| schema.get("enum")).filter(|list| !is_named(list));
        sentences.extend(list.and_then(words).map(|words| format!("{start} {words}.")));
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        sentences.push(format!("Matches {}.", code(pattern)));
    }
    if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
        sentences.push(format!("Default: {}.", json_code(default)));
    }
    sentences
}

/// Returns a value as code: a text without its quotes.
fn json_code(value: &Value) -> String {
    value.as_str().map_or_else(|| code(&value.to_string()), code)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_fields_have_rows_and_a_circle_ends() {
        let components = json!({ "schemas": { "Node": {
            "type": "object", "required": ["name"],
            "properties": { "name": { "type": "string", "maxLength": 9 }, "below": { "type": "array", "items": { "$ref": "#/components/schemas/Node" } } },
        } } });
        let schema = json!({ "$ref": "#/components/schemas/Node" });
        let table = Schemas { components: &components }.fields(&schema, "Fields");
        assert!(table.contains("name</code><br><small>string, <strong>required</strong></small>"), "{table}");
        assert!(
            table.contains("At most 9 characters.") && table.contains("list of object (Node)"),
            "{table}"
        );
        assert_eq!(table.matches("scope=\"row\"").count(), 2, "{table}");
        let circle = json!({ "schemas": { "A": { "$ref": "#/components/schemas/A" }, "B": { "allOf": [{ "$ref": "#/components/schemas/B" }] } } });
        for name in ["A", "B", "none"] {
            let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
            assert!(!Schemas { components: &circle }.fields(&schema, "Fields").is_empty(), "{name}");
        }
    }

    #[test]
    fn all_words_of_a_schema_are_escaped() {
        let schema = json!({ "type": "object", "properties": { "<a>": {
            "type": "<t>", "description": "<d>", "enum": ["<e>"], "pattern": "<p>", "default": { "<k>": 1 }, "format": "<f>",
        } }, "anyOf": [{ "title": "<x>", "properties": { "x": { "const": "<c>" } } }, { "items": { "type": "<i>" } }] });
        let table = Schemas { components: &Value::Null }.fields(&schema, "<caption>");
        let tags = [
            "<table",
            "<caption>",
            "<thead>",
            "<tbody>",
            "<tr>",
            "<th",
            "<td>",
            "<code>",
            "<span",
            "<small>",
            "<br>",
            "<strong>",
            "</",
        ];
        let left = tags.iter().fold(table, |text, tag| text.replace(tag, ""));
        assert!(!left.contains('<'), "{left}");
    }
}
