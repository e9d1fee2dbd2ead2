//! The output of `config show`.

use std::fmt::Write as _;

use crate::{Loaded, SettingSource, resolve::masked};

/// Formats the effective settings as lines of the settings file, each with its source. Masks passwords.
pub fn show(loaded: &Loaded) -> String {
    let mut out = String::new();
    for value in &loaded.values {
        let shown = match (value.setting.key.as_str(), &value.text) {
            ("database", _) => Some(loaded.settings.database.shown()),
            ("audit_database" | "worker_database" | "owner_database" | "audit_anchor", Some(text))
                if text.contains("://") =>
            {
                Some(masked(text))
            }
            (_, Some(text)) => Some(match &value.setting.kind {
                crate::SettingKind::Secret => "***".to_owned(),
                crate::SettingKind::Url => without_login(text),
                _ => text.clone(),
            }),
            (_, None) => None,
        };
        let key = &value.setting.key;
        let place = match (value.source, &loaded.file) {
            (SettingSource::File, Some(path)) => format!("file {}", path.display()),
            (SettingSource::Environment, _) => format!("environment {}", value.setting.variable()),
            (source, _) => source.as_str().to_owned(),
        };
        // Writing into a string can't fail.
        let _ = match shown {
            Some(text) => writeln!(out, "{key} = {}  # {place}", literal(&value.setting.kind, &text)),
            None => writeln!(out, "# {key} is not set"),
        };
    }
    out
}

fn literal(kind: &crate::SettingKind, text: &str) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    match kind {
        crate::SettingKind::Number => text.to_owned(),
        crate::SettingKind::List => {
            let items: Vec<String> =
                text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(quoted).collect();
            format!("[{}]", items.join(", "))
        }
        _ => quoted(text),
    }
}

/// Masks the login of a URL.
fn without_login(url: &str) -> String {
    match url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?.1))) {
        Some((scheme, rest)) => format!("{scheme}://***@{rest}"),
        None => url.to_owned(),
    }
}
