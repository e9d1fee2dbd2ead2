//! Imports an OpenAPI document.

mod tool;

use std::{cell::Cell, collections::BTreeSet};

use serde_json::Value;
use toolcrib_toolset::{DeclaredUpstream, Toolset, ToolsetSource, UpstreamKind, quoted};

use crate::{
    ImportError, ImportOptions, OpenApiImport,
    drafts::{self, DraftList},
    limits::{MAX_OPENAPI_BYTES, MAX_WORK, is_larger},
    names::ToolName,
    operation::{OpenApiOperation, operations},
    references::DocumentReferences,
    security::security_advice,
    selection::OperationSelection,
    server::{base_url, first_server, server_url},
    trial::ToolTrial,
};

/// Imports the operations of a document of OpenAPI 3.0 or 3.1 as drafts of tools.
pub fn import_openapi(document: &Value, options: &ImportOptions) -> Result<OpenApiImport, ImportError> {
    if is_larger(document, MAX_OPENAPI_BYTES) {
        return Err(ImportError::TooLarge);
    }
    check_version(document)?;
    let base_url = chosen_server(document, options)?;
    let frame = frame(document, options, base_url.as_deref());
    let kind = UpstreamKind::Http;
    let trial = ToolTrial::new(&frame, options.source, &options.slug, kind, base_url.as_deref());
    if let Some((pointer, message)) = trial.defect_of_frame() {
        let is_server = pointer.starts_with("/upstreams");
        return Err(if is_server { ImportError::Server(message) } else { ImportError::Slug(message) });
    }
    let references = DocumentReferences::new(document);
    let advice = security_advice(document, references);
    let work = Cell::new(MAX_WORK);
    let mut importer = Importer {
        options,
        references,
        trial,
        credentials: &advice.headers,
        default_server: first_server(document),
        work: &work,
        selection: OperationSelection::new(&options.include, &options.exclude),
        drafts: DraftList::default(),
    };
    let operations = operations(document, references);
    let sources = operations.iter().flatten().map(OpenApiOperation::name_source).collect();
    let mut names = ToolName::all(sources).into_iter();
    for operation in operations {
        match operation {
            Ok(operation) => names.next().into_iter().for_each(|name| importer.add(&operation, name)),
            Err((name, reason)) => importer.drafts.leave_out(name, reason),
        }
    }
    Ok(importer.finish(frame, base_url, advice.sentences))
}

fn check_version(document: &Value) -> Result<(), ImportError> {
    let wrong = |message: String| Err(ImportError::NotOpenApi(message));
    match document.get("openapi") {
        Some(Value::String(version)) if version.starts_with("3.0") || version.starts_with("3.1") => Ok(()),
        Some(version) => wrong(format!("is OpenAPI {}; 3.0 and 3.1 are read", quoted(&plain(version)))),
        None if document.get("swagger").is_some() => {
            wrong("is a Swagger 2 document; convert it to OpenAPI 3.0 first".into())
        }
        None => wrong("is no OpenAPI document: it has no `openapi`, which names the version".into()),
    }
}

fn plain(version: &Value) -> String {
    version.as_str().map_or_else(|| version.to_string().chars().take(20).collect(), str::to_owned)
}

/// Returns the base URL of the upstream. An operator's document needs one, because it declares the upstream.
fn chosen_server(document: &Value, options: &ImportOptions) -> Result<Option<String>, ImportError> {
    let base_url = match &options.server {
        Some(server) => Some(base_url(server).map_err(ImportError::Server)?),
        None => first_server(document),
    };
    if base_url.is_none() && options.source == ToolsetSource::Operator {
        let message = "is not named in the document with an absolute URL; say its URL";
        return Err(ImportError::Server(message.into()));
    }
    Ok(base_url)
}

/// Returns the document without its tools.
fn frame(document: &Value, options: &ImportOptions, base_url: Option<&str>) -> Toolset {
    let title = document.pointer("/info/title").and_then(Value::as_str).unwrap_or_default();
    let upstream = || DeclaredUpstream {
        name: Some(options.slug.clone()),
        kind: Some(UpstreamKind::Http),
        base_url: base_url.map(str::to_owned),
        ..DeclaredUpstream::default()
    };
    Toolset {
        upstreams: (options.source == ToolsetSource::Operator).then(|| vec![upstream()]),
        ..drafts::frame(&options.slug, title)
    }
}

/// An import that is under way.
struct Importer<'a> {
    options: &'a ImportOptions,
    references: DocumentReferences<'a>,
    trial: ToolTrial,
    credentials: &'a BTreeSet<String>,
    /// The base URL that operations have without servers of their own.
    default_server: Option<String>,
    work: &'a Cell<usize>,
    selection: OperationSelection<'a>,
    drafts: DraftList,
}

impl<'a> Importer<'a> {
    /// Imports an operation if it is selected, or says why it is left out.
    fn add(&mut self, operation: &OpenApiOperation<'a>, name: ToolName) {
        let id = operation.id().unwrap_or_default();
        if !self.selection.selects(&[id, &name.base, &name.name, operation.path]) {
            return;
        }
        if let Err(reason) = self.import(operation, name) {
            self.drafts.leave_out(operation.label(), reason);
        }
    }

    fn import(&mut self, operation: &OpenApiOperation<'a>, name: ToolName) -> Result<(), String> {
        if operation.http_method.is_none() {
            let method = operation.method.to_ascii_uppercase();
            return Err(format!("has the method `{method}`, which a tool can't have"));
        }
        self.drafts.check_name(&name.name, &self.options.slug)?;
        self.check_server(operation)?;
        let draft = self.tool(operation, &name.name)?;
        self.drafts.add(name, &self.options.slug, draft)
    }

    /// A toolset calls one address for all tools of an upstream.
    fn check_server(&self, operation: &OpenApiOperation<'_>) -> Result<(), String> {
        let Some(server) = operation.servers().and_then(|servers| servers.get(0)) else { return Ok(()) };
        let own = server_url(server);
        if own.is_some() && own == self.default_server {
            return Ok(());
        }
        let shown = server.get("url").and_then(Value::as_str).unwrap_or_default();
        Err(format!("has a server of its own: {}", quoted(shown)))
    }

    fn finish(self, frame: Toolset, base_url: Option<String>, advice: Vec<String>) -> OpenApiImport {
        let slug = &self.options.slug;
        let mut messages = Vec::new();
        match (&base_url, self.options.source) {
            (Some(url), ToolsetSource::Workspace) => {
                messages.push(format!("the upstream `{slug}` needs the base URL `{url}`"));
            }
            (None, _) => {
                messages.push(format!("no server has an absolute URL; say that of the upstream `{slug}`"));
            }
            (Some(_), ToolsetSource::Operator) => {}
        }
        messages.extend(advice);
        let unused = self.selection.unused();
        messages.extend(unused.map(|pattern| format!("{} matches no operation", quoted(pattern))));
        messages.extend(self.drafts.destructive_note());
        let DraftList { tools, left_out, notes, .. } = self.drafts;
        let notes = DraftList::all_notes(messages, notes);
        OpenApiImport { toolset: Toolset { tools: Some(tools), ..frame }, base_url, left_out, notes }
    }
}
