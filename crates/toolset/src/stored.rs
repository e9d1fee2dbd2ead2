//! Documents that were accepted earlier and are stored. They are not checked again, because what a check knows beside
//! the document may have changed since.

use std::collections::BTreeMap;

use serde_json::{Map, Value, value::RawValue};

use crate::{
    check::checked,
    checked::{CheckedTool, CheckedToolset, checked_tool},
    context::KnownUpstream,
    document::{DeclaredTool, Toolset},
    note::CheckReport,
};

/// Returns the checked form of a stored document. `None` if it is no document any more.
pub fn read_stored(
    document: &str,
    upstreams: Option<&BTreeMap<String, KnownUpstream>>,
) -> Option<CheckedToolset> {
    checked(serde_json::from_str(document).ok()?, upstreams, CheckReport::default())
}

/// A stored document of which one tool at a time is in memory.
pub struct StoredToolset<'d> {
    slug: String,
    /// The document without tools.
    head: Toolset,
    tools: Vec<&'d RawValue>,
}

impl<'d> StoredToolset<'d> {
    /// Reads the document except its tools. `None` if it is no document any more.
    pub fn read(document: &'d str) -> Option<Self> {
        let mut fields: BTreeMap<String, &'d RawValue> = serde_json::from_str(document).ok()?;
        let tools: Option<Vec<&'d RawValue>> = match fields.remove("tools") {
            Some(tools) => serde_json::from_str(tools.get()).ok()?,
            None => None,
        };
        let parsed =
            |(name, field): (String, &RawValue)| Some((name, serde_json::from_str(field.get()).ok()?));
        let head: Map<String, Value> = fields.into_iter().map(parsed).collect::<Option<_>>()?;
        let head: Toolset = serde_json::from_value(Value::Object(head)).ok()?;
        let slug = head.slug.clone().filter(|_| head.title.is_some())?;
        Some(Self { slug, head, tools: tools.unwrap_or_default() })
    }

    /// Returns the prefix of the full names.
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// Returns the tools in the order of the document, each read when it is asked for; `None` for one that can't be
    /// read.
    pub fn tools(
        &self,
        upstreams: Option<&BTreeMap<String, KnownUpstream>>,
    ) -> impl Iterator<Item = Option<CheckedTool>> {
        self.tools.iter().map(move |tool| {
            let tool: DeclaredTool = serde_json::from_str(tool.get()).ok()?;
            checked_tool(&tool, &self.head, upstreams)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> Value {
        let tool = |name: &str, more: Value| {
            let mut tool = json!({
                "name": name, "description": "Look.", "permission_level": "read", "client": {},
                "parameters": {"type": "object", "properties": {"\u{e4}\"": {"type": "string"}}}
            });
            tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            tool
        };
        json!({
            "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Desk", "defaults": {"min_role": "editor"},
            "tools": [
                tool("look", json!({"accessible_by": "everyone"})),
                tool("see", json!({"accessible_by": {"types": ["chat"], "names": []}, "draft": true}))
            ]
        })
    }

    fn one_by_one(document: &str) -> Option<Vec<CheckedTool>> {
        StoredToolset::read(document)?.tools(None).collect()
    }

    #[test]
    fn the_tools_are_those_of_the_whole_document() {
        let text = document().to_string();
        let whole = read_stored(&text, None).unwrap();
        assert_eq!(StoredToolset::read(&text).unwrap().slug(), whole.slug);
        assert_eq!(one_by_one(&text).unwrap(), whole.tools);
        assert_eq!(whole.tools.len(), 2);
    }

    #[test]
    fn what_is_no_document_for_one_is_none_for_the_other() {
        let mut damaged = Vec::new();
        for (pointer, value) in [
            ("/slug", json!(null)),
            ("/title", json!(null)),
            ("/title", json!(7)),
            ("/tools", json!("x")),
            ("/tools/1/name", json!(null)),
            ("/tools/1/name", json!(7)),
            ("/tools/1/permission_level", json!("often")),
        ] {
            let mut document = document();
            *document.pointer_mut(pointer).unwrap() = value;
            damaged.push(document.to_string());
        }
        let mut unknown = document();
        unknown["more"] = json!(1);
        damaged.extend([unknown.to_string(), "{".to_owned(), "[]".to_owned()]);
        for text in damaged {
            assert!(read_stored(&text, None).is_none() && one_by_one(&text).is_none(), "{text}");
        }
        let mut without = document();
        without["tools"] = json!(null);
        assert_eq!(one_by_one(&without.to_string()).unwrap(), []);
        assert_eq!(read_stored(&without.to_string(), None).unwrap().tools, []);
    }
}
