//! Examples that are made from schemas: the same schema gives the same example, which fits it.

use serde_json::{Map, Value, json};
use toolcrib_registry::InputSchema;

use super::schema::{Field, Schemas, choices};

/// How deep an example is. Below it lists are empty, and objects have their required fields only.
const MAX_DEPTH: usize = 5;
/// Nothing is made below this depth: a schema that requires itself.
const END: usize = 12;
const ID: &str = "01900000-0000-7000-8000-000000000001";
const TIME: &str = "2026-01-15T09:00:00Z";

/// Texts of which the first that fits is taken, if `<name>` does not fit.
const TEXTS: &str = "2026-01-15 https://example.com/ example.com ada@example.com example en 09:00 * +15550100123 \
    AC00000000000000000000000000000000 1.0.0 12345 {}";

/// Which fields an example has.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// The required fields, and so many others.
    Request { optional: usize },
    /// All fields.
    Response,
}

/// Returns a value that fits a schema. `name` is that of the field.
pub(super) fn of(schemas: Schemas<'_>, schema: &Value, name: &str, kind: Kind) -> Value {
    Maker { schemas, kind }.value(schema, name, 0)
}

#[derive(Clone, Copy)]
struct Maker<'a> {
    schemas: Schemas<'a>,
    kind: Kind,
}

impl<'a> Maker<'a> {
    fn value(self, schema: &'a Value, name: &str, depth: usize) -> Value {
        let (schema, _) = self.schemas.resolve(schema);
        let listed = |word: &str| schema.get(word).and_then(|list| list.get(0));
        let declared =
            [listed("examples"), schema.get("example"), schema.get("const"), schema.get("default")];
        if let Some(known) = declared.into_iter().flatten().find(|value| !value.is_null()).or(listed("enum"))
        {
            return known.clone();
        }
        let mut forms = choices(schema).filter(|form| form.get("type") != Some(&json!("null")));
        if let Some(form) = forms.next().filter(|_| depth < END) {
            return self.form(schema, form, name, depth);
        }
        let kind = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
            other => other.and_then(Value::as_str),
        };
        match kind {
            Some("integer" | "number") => number(schema),
            Some("boolean") => json!(true),
            Some("array") => self.list(schema, name, depth),
            Some("string") => text(schema, name),
            Some("null") => Value::Null,
            _ if kind == Some("object") || schema.get("allOf").is_some() => self.object(schema, depth),
            _ => json!(format!("<{name}>")),
        }
    }

    /// Returns the value of one form. An object has the fields of the schema around it too.
    fn form(self, schema: &'a Value, form: &'a Value, name: &str, depth: usize) -> Value {
        let mut value = self.value(form, name, depth + 1);
        if let (Some(inner), Value::Object(outer)) = (value.as_object_mut(), self.object(schema, depth + 1)) {
            for (name, field) in outer {
                inner.entry(name).or_insert(field);
            }
        }
        value
    }

    fn list(self, schema: &'a Value, name: &str, depth: usize) -> Value {
        let count = schema.get("minItems").and_then(Value::as_u64).unwrap_or(u64::from(depth < MAX_DEPTH));
        match schema.get("items") {
            Some(items) if depth < END => {
                (0..count.min(16)).map(|_| self.value(items, name, depth + 1)).collect()
            }
            _ => json!([]),
        }
    }

    fn object(self, schema: &'a Value, depth: usize) -> Value {
        let mut left = match self.kind {
            _ if depth >= MAX_DEPTH => 0,
            Kind::Request { .. } if depth > 0 => 0,
            Kind::Request { optional } => optional,
            Kind::Response => usize::MAX,
        };
        let mut made = Map::new();
        for Field { name, schema, required } in self.schemas.fields_of(schema) {
            if (!required && left == 0) || depth >= END {
                continue;
            }
            if !required {
                left -= 1;
            }
            made.insert(name.to_owned(), self.value(schema, name, depth + 1));
        }
        let least = schema.get("minProperties").and_then(Value::as_u64).unwrap_or(0);
        if made.is_empty()
            && least > 0
            && let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object())
        {
            made.insert("name".to_owned(), self.value(values, "name", depth + 1));
        }
        Value::Object(made)
    }
}

fn number(schema: &Value) -> Value {
    let maximum = schema.get("maximum").filter(|most| most.as_f64().is_some_and(|most| most < 1.0));
    schema.get("minimum").or(maximum).cloned().unwrap_or(json!(1))
}

fn text(schema: &Value, name: &str) -> Value {
    let limit =
        |word: &str| schema.get(word).and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
    let (least, most) = (limit("minLength").unwrap_or(0), limit("maxLength").unwrap_or(usize::MAX));
    let own = format!("<{name}>");
    match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => return json!(ID),
        Some("date-time") => return json!(TIME),
        None if schema.get("pattern").is_none() => {
            let fits = (least..=most).contains(&own.chars().count());
            return json!(if fits { own } else { "a".repeat(least.max(1).min(most)) });
        }
        _ => {}
    }
    let own_texts = [own.as_str(), name];
    let checker = InputSchema::accepted(schema);
    let fits = |text: &&str| checker.check(&mut json!(text)).is_empty();
    json!(own_texts.into_iter().chain(TEXTS.split(' ')).find(fits).unwrap_or("example"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(schema: &Value) -> Value {
        of(Schemas { components: &Value::Null }, schema, "name", Kind::Request { optional: 2 })
    }

    #[test]
    fn an_example_fits_its_schema() {
        for schema in [
            json!({ "type": "string", "maxLength": 3 }),
            json!({ "type": "string", "minLength": 30 }),
            json!({ "type": "string", "pattern": "^[a-z]{2}$" }),
            json!({ "type": ["null", "number"], "maximum": 0.5 }),
            json!({ "type": "array", "minItems": 2, "items": { "type": "string", "format": "date" } }),
            json!({ "type": "object", "minProperties": 1, "additionalProperties": { "type": "boolean" } }),
            json!({ "anyOf": [{ "type": "null" }, { "enum": ["a"] }] }),
            json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "type": "string" } },
                "oneOf": [{ "type": "object", "required": ["x"], "properties": { "x": { "const": 7 } } }] }),
        ] {
            let made = example(&schema);
            let errors = InputSchema::new(schema.clone()).unwrap().check(&mut made.clone());
            assert!(errors.is_empty(), "{schema}: {made}: {errors:?}");
        }
    }

    #[test]
    fn a_schema_that_requires_itself_has_an_end() {
        let components = json!({ "schemas": { "Node": { "type": "object", "required": ["next"],
            "properties": { "next": { "$ref": "#/components/schemas/Node" } } } } });
        let schema = json!({ "$ref": "#/components/schemas/Node" });
        let made = of(Schemas { components: &components }, &schema, "node", Kind::Response);
        assert!(made.to_string().len() < 200, "{made}");
    }
}
