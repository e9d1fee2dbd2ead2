//! Makes the draft of one tool.

use serde_json::Value;
use toolcrib_registry::Level;
use toolcrib_toolset::{DeclaredTool, HttpMethod};

use super::Importer;
use crate::{
    body::read_body,
    drafts::{DraftTool, fitting_draft},
    limits::{MAX_DESCRIPTION, MAX_PLAIN_SCHEMA, WORK_OF_CHECK, is_larger},
    mapping::{MappedRequest, map_request},
    operation::OpenApiOperation,
    parameters::read_parameters,
    schema::{SchemaReader, UnfitOperation},
    texts::{clean_line, clean_lines},
};

/// The maximum number of tags of a tool, and the maximum length of one.
const MAX_TAGS: (usize, usize) = (20, 40);

impl<'a> Importer<'a> {
    /// Makes the draft of an operation's tool.
    pub(super) fn tool(&self, operation: &OpenApiOperation<'a>, name: &str) -> Result<DraftTool, String> {
        let too_large = "the document is too large to be read whole; select operations";
        fitting_draft(self.work, too_large, |depth| self.tool_to_depth(operation, name, depth))
    }

    fn tool_to_depth(
        &self,
        operation: &OpenApiOperation<'a>,
        name: &str,
        depth: usize,
    ) -> Result<DraftTool, UnfitOperation> {
        let mut reader = SchemaReader::new(self.references, depth, self.work);
        let request = read_parameters(operation, self.references, self.credentials, &mut reader)?;
        let body = read_body(operation, self.references, &mut reader)?;
        let mapped = map_request(operation, &self.options.slug, request, body)?;
        if is_larger(&mapped.parameters, MAX_PLAIN_SCHEMA) {
            let reason = format!("has parameters of more than {MAX_PLAIN_SCHEMA} bytes");
            return Err(UnfitOperation::TooDetailed(reason));
        }
        let mut notes = reader.notes;
        if operation.fields.get("deprecated") == Some(&Value::Bool(true)) {
            notes.insert("the operation is deprecated".into());
        }
        let tool = draft(operation, name, mapped);
        self.work.set(self.work.get().saturating_sub(WORK_OF_CHECK));
        let bytes = self.trial.check(&tool).map_err(UnfitOperation::TooDetailed)?;
        Ok((tool, notes, bytes))
    }
}

fn draft(operation: &OpenApiOperation<'_>, name: &str, mapped: MappedRequest) -> DeclaredTool {
    let tags = tags(operation);
    DeclaredTool {
        name: Some(name.to_owned()),
        description: Some(description(operation)),
        permission_level: operation.http_method.map(proposed_level),
        parameters: Some(mapped.parameters),
        tags: (!tags.is_empty()).then_some(tags),
        draft: Some(true),
        http: Some(mapped.http),
        ..DeclaredTool::default()
    }
}

/// Returns the level that a method proposes. A person decides.
const fn proposed_level(method: HttpMethod) -> Level {
    match method {
        HttpMethod::Get | HttpMethod::Head => Level::Read,
        HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch => Level::Write,
        HttpMethod::Delete => Level::Destructive,
    }
}

fn description(operation: &OpenApiOperation<'_>) -> String {
    let (summary, text) = (operation.text("summary").trim(), operation.text("description").trim());
    let whole = if text.starts_with(summary) { text.to_owned() } else { format!("{summary}\n{text}") };
    let clean = clean_lines(&whole, MAX_DESCRIPTION);
    if clean.is_empty() { operation.label() } else { clean }
}

fn tags(operation: &OpenApiOperation<'_>) -> Vec<String> {
    let (most, length) = MAX_TAGS;
    let written = operation.fields.get("tags").and_then(Value::as_array).into_iter().flatten();
    let clean = written.filter_map(Value::as_str).map(|tag| clean_line(tag, length));
    clean.filter(|tag| !tag.is_empty()).take(most).collect()
}
