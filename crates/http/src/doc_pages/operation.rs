//! The page of one operation of the OpenAPI document.

use std::{fmt::Write as _, sync::Arc};

use serde_json::{Value, json};
use toolcrib_model::ErrorCode;
use toolcrib_registry::ActionMeta;

use super::{
    access, errors,
    example::{self, Kind},
    guides,
    html::{HOME, Page, Table, anchor, code, code_words, escape, heading, list, prose, row},
    schema::{Schemas, about, limits},
};

/// One operation: what the index and the search need, and its part of the document as JSON text.
pub(super) struct Operation {
    pub id: String,
    pub method: String,
    pub path: String,
    pub tag: String,
    pub summary: String,
    pub description: String,
    pub meta: Option<Arc<ActionMeta>>,
    pub json: String,
}

impl Operation {
    pub fn address(&self) -> String {
        format!("/docs/operations/{}", self.id)
    }

    /// Renders the page. Returns `None` if the part of the document cannot be read.
    pub fn page(&self, components: &Value) -> Option<String> {
        let part: Value = serde_json::from_str(&self.json).ok()?;
        let view = View { operation: self, part: &part, schemas: Schemas { components } };
        let mut body = format!(
            "<p><span class=\"method\">{}</span> {}</p>\n{}<p class=\"muted\">Operation {}</p>\n",
            escape(&self.method),
            code(&self.path),
            prose(&self.description),
            code(&self.id)
        );
        body.push_str(&view.call());
        body.push_str(&view.who());
        body.push_str(&view.parameters(
            "parameters",
            "Parameters",
            &[("path", "In the path"), ("query", "In the query")],
        ));
        body.push_str(&view.body());
        body.push_str(&view.parameters("headers", "Headers", &[("header", "Headers of the request")]));
        body.push_str(&view.responses());
        body.push_str(&guides::links(self));
        let tag = format!("/docs#{}", anchor(&self.tag));
        Some(Page { title: &self.summary, above: &[HOME, (&tag, &self.tag)], query: "", body: &body }.html())
    }
}

struct View<'a> {
    operation: &'a Operation,
    part: &'a Value,
    schemas: Schemas<'a>,
}

impl<'a> View<'a> {
    fn request_schema(&self) -> Option<&'a Value> {
        self.part.pointer("/requestBody/content/application~1json/schema")
    }

    /// Returns the parameters with this place: `path`, `query` or `header`.
    fn parameters_in(&self, place: &str) -> impl Iterator<Item = &'a Value> {
        let all = self.part.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let (schemas, place) = (self.schemas, json!(place));
        all.map(move |parameter| schemas.resolve(parameter).0)
            .filter(move |parameter| parameter["in"] == place)
    }

    /// Renders the command line of an example, and its body.
    fn call(&self) -> String {
        let mut lines = vec![format!("curl -X {} \"$CRIB_URL{}\"", self.operation.method, self.address())];
        let public = self.part.get("security").is_some_and(|needed| needed == &json!([]));
        let machine = self.part.get("security").is_some() && !public;
        if machine {
            lines.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
        } else if !public {
            lines.push("-H \"Authorization: Bearer $CRIB_TOKEN\"".to_owned());
            lines.push("-H \"X-Workspace-Id: $CRIB_WORKSPACE\"".to_owned());
        }
        if let Some(schema) = self.request_schema() {
            // A change of nothing is refused.
            let id = &self.operation.id;
            let is_change = self.operation.method == "PATCH" || id.contains("_update_");
            let kind = Kind::Request { optional: usize::from(is_change) };
            let written = self.part.pointer("/requestBody/content/application~1json/example").cloned();
            let body = written.unwrap_or_else(|| example::of(self.schemas, schema, "body", kind));
            let body = serde_json::to_string_pretty(&body).unwrap_or_default();
            lines.push("-H 'Content-Type: application/json'".to_owned());
            lines.push(format!("-d '{}'", body.replace('\'', r"'\''")));
        }
        let text = lines.join(" \\\n  ");
        format!(
            "{}<pre class=\"wrap copy\"><code>{}</code></pre>\n",
            heading(2, "call", "A call"),
            escape(&text)
        )
    }

    /// Returns the path with shell variables for its parameters, and with the query parameters that are required.
    fn address(&self) -> String {
        let mut address = self.operation.path.clone();
        for parameter in self.parameters_in("path") {
            let name = parameter["name"].as_str().unwrap_or_default();
            address = address.replace(&format!("{{{name}}}"), &format!("${}", name.to_uppercase()));
        }
        let required = self.parameters_in("query").filter(|parameter| parameter["required"] == true);
        for (n, parameter) in required.enumerate() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let sign = if n == 0 { '?' } else { '&' };
            let _ = write!(address, "{sign}{name}=${}", name.to_uppercase());
        }
        address
    }

    fn who(&self) -> String {
        let rules = match &self.operation.meta {
            Some(meta) => access::rules(meta),
            None => vec![self.credential()],
        };
        heading(2, "who", "Who may call it") + &list(rules)
    }

    /// Returns the credential of an operation that is no action.
    fn credential(&self) -> String {
        let Some(needed) = self.part.get("security").and_then(Value::as_array) else {
            return "Every caller with a valid credential; the operation itself limits what a caller sees and does.".to_owned();
        };
        let scheme = needed.first().and_then(Value::as_object).and_then(|schemes| schemes.keys().next());
        let about = scheme.and_then(|name| {
            self.schemas.components.pointer(&format!("/securitySchemes/{name}/description"))
        });
        match about.and_then(Value::as_str) {
            Some(about) => format!("A bearer token: {}", code_words(about)),
            None => "Everybody, without the credential of a user or a key.".to_owned(),
        }
    }

    fn parameters(&self, id: &str, title: &str, places: &[(&str, &str)]) -> String {
        let mut html = String::new();
        for (place, caption) in places {
            let rows: Vec<String> =
                self.parameters_in(place).map(|parameter| self.parameter(parameter)).collect();
            let table = Table { class: "fields", caption, columns: ["Parameter", "Meaning"] };
            html.push_str(&table.html(&rows.concat()));
        }
        if html.is_empty() { html } else { heading(2, id, title) + &html }
    }

    fn parameter(&self, parameter: &'a Value) -> String {
        let text = |word: &str| parameter.get(word).and_then(Value::as_str).unwrap_or_default();
        let schema = parameter.get("schema").unwrap_or(&Value::Null);
        let mut meaning = vec![code_words(text("description"))];
        meaning.extend(limits(self.schemas.resolve(schema).0, text("description")));
        let kind = self.schemas.kind(schema);
        row(&about(&code(text("name")), &kind, parameter["required"] == true), &meaning.join(" "))
    }

    fn body(&self) -> String {
        let Some(schema) = self.request_schema() else { return String::new() };
        let needed = self.part.pointer("/requestBody/required") == Some(&Value::Bool(true));
        let needed = if needed { "" } else { "<p>The body may be left out.</p>\n" };
        let (resolved, _) = self.schemas.resolve(schema);
        let closed = resolved.get("additionalProperties") == Some(&Value::Bool(false));
        let closed = if closed { "<p>Other fields are refused.</p>\n" } else { "" };
        format!(
            "{}{needed}{closed}{}",
            heading(2, "body", "Body"),
            self.schemas.fields(schema, "JSON, application/json")
        )
    }

    fn responses(&self) -> String {
        let mut html = heading(2, "responses", "Responses");
        let mut refusals = String::new();
        for (status, response) in self.part.get("responses").and_then(Value::as_object).into_iter().flatten()
        {
            let (response, _) = self.schemas.resolve(response);
            if response.pointer("/content/application~1problem+json").is_some() {
                refusals.push_str(&refusal(status));
            } else {
                html.push_str(&self.response(status, response));
            }
        }
        if !refusals.is_empty() {
            html.push_str(&heading(3, "refusals", "Refusals"));
            let problem = "<a href=\"/docs/errors#problem\">a problem document</a>";
            let _ = writeln!(html, "<p>The body is {problem} with one of these codes.</p>");
            html.push_str(
                &Table { class: "statuses", caption: "", columns: ["Status", "Codes"] }.html(&refusals),
            );
        }
        html
    }

    fn response(&self, status: &str, response: &'a Value) -> String {
        let about = response.get("description").and_then(Value::as_str).unwrap_or_default();
        let mut html = heading(3, &format!("status-{status}"), status) + &prose(about);
        let headers = response.get("headers").and_then(Value::as_object).into_iter().flatten();
        let headers: Vec<String> = headers.map(|(name, _)| code(name)).collect();
        if !headers.is_empty() {
            let _ = writeln!(html, "<p><small>Headers: {}</small></p>", headers.join(", "));
        }
        for (kind, content) in response.get("content").and_then(Value::as_object).into_iter().flatten() {
            let schema = content.get("schema").unwrap_or(&Value::Null);
            html.push_str(&self.schemas.fields(schema, kind));
            if kind == "application/json" && !self.schemas.fields_of(schema).is_empty() {
                let made = example::of(self.schemas, schema, "value", Kind::Response);
                let text = serde_json::to_string_pretty(&made).unwrap_or_default();
                let _ = writeln!(
                    html,
                    "<p>An example, made from the schema:</p>\n<pre class=\"wrap\"><code>{}</code></pre>",
                    escape(&text)
                );
            }
        }
        html
    }
}

/// Returns the row of a status with its error codes.
fn refusal(status: &str) -> String {
    let codes = ErrorCode::ALL.iter().filter(|code| code.status().to_string() == status);
    let links: Vec<String> = codes.map(|code| errors::link(*code)).collect();
    let status = escape(status);
    row(&format!("<span id=\"status-{status}\">{status}</span>"), &links.join(", "))
}
