//! The `tracing` layer that writes the service's log to the [`Journal`].

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};
use toolcrib_model::Id;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id as SpanId, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::journal::{Journal, LogLevel, LogLine};

/// The maximum length of a message, in characters. Longer ones are cut.
const MESSAGE_MAX: usize = 4_000;
/// The maximum length of a field, in characters. Longer ones are cut.
const FIELD_MAX: usize = 1_000;
/// The maximum number of fields of a line. The rest is dropped.
const FIELDS_MAX: usize = 32;
/// The target of the line that the engine logs for each finished call.
const CALLS: &str = "toolcrib::calls";
/// The field with the workspace's id, on an event or on a span around it.
const WORKSPACE: &str = "workspace_id";

/// A `tracing` layer that writes to a [`Journal`].
#[derive(Clone, Debug)]
pub struct JournalLayer(Arc<Journal>);

/// The workspace of a span, which applies to everything inside the span.
struct Tenant(Id);

impl Journal {
    /// Returns the `tracing` layer that writes to the journal. Add the layer to the subscriber.
    pub fn layer(self: &Arc<Self>) -> JournalLayer {
        JournalLayer(self.clone())
    }
}

impl<S> Layer<S> for JournalLayer
where
    S: Subscriber + for<'l> LookupSpan<'l>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &SpanId, cx: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        remember(&fields, id, &cx);
    }

    fn on_record(&self, id: &SpanId, values: &Record<'_>, cx: Context<'_, S>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        remember(&fields, id, &cx);
    }

    fn on_event(&self, event: &Event<'_>, cx: Context<'_, S>) {
        let meta = event.metadata();
        let Some(level) = level(*meta.level()) else { return };
        let mut fields = Fields::default();
        event.record(&mut fields);
        let around = || {
            let mut scope = cx.event_scope(event)?;
            scope.find_map(|span| span.extensions().get::<Tenant>().map(|tenant| tenant.0))
        };
        let workspace = fields.workspace.or_else(around);
        let at = self.0.clock().now();
        if meta.target() == CALLS
            && let (Some(status), Some(duration)) = (fields.number("status"), fields.number("duration_ms"))
        {
            self.0.calls().record(at, workspace, status, duration);
        }
        let Fields { message, fields, .. } = fields;
        self.0.write(LogLine { at, level, service: service(meta.target()), message, fields, workspace });
    }
}

fn remember<S>(fields: &Fields, id: &SpanId, cx: &Context<'_, S>)
where
    S: Subscriber + for<'l> LookupSpan<'l>,
{
    if let (Some(workspace), Some(span)) = (fields.workspace, cx.span(id)) {
        span.extensions_mut().replace(Tenant(workspace));
    }
}

fn level(level: Level) -> Option<LogLevel> {
    match level {
        Level::ERROR => Some(LogLevel::Error),
        Level::WARN => Some(LogLevel::Warning),
        Level::INFO => Some(LogLevel::Info),
        Level::DEBUG => Some(LogLevel::Debug),
        _ => None,
    }
}

/// Returns the part of the service for a target: `http` for `toolcrib_http::routes`, `calls` for
/// `toolcrib::calls`.
pub(super) fn service(target: &str) -> String {
    let mut path = target.split("::");
    let head = path.next().unwrap_or_default();
    let part = match head.strip_prefix("toolcrib") {
        Some("") => path.next().unwrap_or("app"),
        Some(rest) => rest.trim_start_matches('_'),
        None => head,
    };
    match part {
        "store" | "sqlx" => "database".to_owned(),
        other => other.to_owned(),
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    fields: Map<String, Value>,
    workspace: Option<Id>,
}

impl Fields {
    fn number(&self, name: &str) -> Option<f64> {
        self.fields.get(name)?.as_f64()
    }

    fn text(&mut self, field: &Field, text: String) {
        if field.name() == "message" {
            self.message = cut(text, MESSAGE_MAX);
        } else {
            self.take(field, Value::String(cut(text, FIELD_MAX)));
        }
    }

    fn take(&mut self, field: &Field, value: Value) {
        if field.name() == WORKSPACE {
            self.workspace = value.as_str().and_then(|text| Id::try_parse(text).ok());
        } else if self.fields.len() < FIELDS_MAX {
            self.fields.insert(field.name().to_owned(), value);
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value.to_owned());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.take(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.take(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.take(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.take(field, value.into());
    }
}

/// Cuts a text to `most` characters and appends `…` if it was cut.
fn cut(mut text: String, most: usize) -> String {
    // Checking the bytes first is cheaper, and a text never has more characters than bytes.
    if text.len() > most
        && let Some((end, _)) = text.char_indices().nth(most)
    {
        text.truncate(end);
        text.push('…');
    }
    text
}
