//! Reads flags, environment and file into one list of values as text.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command, parser::ValueSource};

use crate::{
    ConfigError, SettingKind, SettingSource, Settings, TABLE,
    raw_value::RawValue,
    resolve::resolve,
    table::{Setting, VARIABLES},
};

const CONFIG: &str = "config";
/// Variables of the commands that work over the API. They are not settings of the service.
const OVER_API: [&str; 3] = ["URL", "TOKEN", "TOKEN_FILE"];

/// The settings and their sources.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The effective settings.
    pub settings: Settings,
    /// The text and source of each setting, in the order of the table.
    pub values: Vec<RawValue>,
    /// The settings file, if one was read.
    pub file: Option<PathBuf>,
}

/// Adds a flag for each setting, and `--config`, to a command and its subcommands.
pub fn with_flags(command: Command) -> Command {
    let config = Arg::new(CONFIG)
        .long(CONFIG)
        .env(format!("{VARIABLES}CONFIG"))
        .value_name("FILE")
        .help("TOML file with settings; flags and environment variables take precedence")
        .help_heading("Settings")
        .hide_env_values(true)
        .global(true);
    command.arg(config).args(TABLE.iter().map(flag))
}

fn flag(setting: &'static Setting) -> Arg {
    let arg = Arg::new(&*setting.key)
        .long(setting.key.replace('_', "-"))
        .env(setting.variable())
        .value_name(&*setting.value)
        .help(&*setting.help)
        .help_heading("Settings")
        .hide_env_values(true)
        .global(true);
    match &setting.default {
        Some(default) => arg.default_value(&**default),
        None => arg,
    }
}

/// Loads the settings from parsed flags, the environment and the file. `environment` has the names of all
/// variables, to find unknown ones.
pub fn load(
    matches: &ArgMatches,
    environment: impl Iterator<Item = OsString>,
) -> Result<Loaded, ConfigError> {
    check_environment(environment)?;
    // clap stores a flag after a subcommand only in the matches of that subcommand.
    let mut deepest = matches;
    while let Some((_, below)) = deepest.subcommand() {
        deepest = below;
    }
    let file = deepest.get_one::<String>(CONFIG).map(PathBuf::from);
    let table = match &file {
        Some(path) => read(path)?,
        None => toml::Table::new(),
    };
    let values = TABLE
        .iter()
        .map(|setting| raw_value(setting, deepest, table.get(&setting.key)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Loaded { settings: resolve(&values)?, values, file })
}

fn check_environment(names: impl Iterator<Item = OsString>) -> Result<(), ConfigError> {
    for name in names {
        let name = name.to_string_lossy().into_owned();
        let Some(own) = name.strip_prefix(VARIABLES) else { continue };
        let known = own == "CONFIG" || OVER_API.contains(&own);
        if !known && !TABLE.iter().any(|setting| setting.variable() == name) {
            return Err(ConfigError::UnknownVariable(name));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<toml::Table, ConfigError> {
    let unreadable = |reason: String| ConfigError::File { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
        unreadable(format!("line {line}: {}", error.message()))
    })?;
    match table.keys().find(|key| !TABLE.iter().any(|setting| setting.key == **key)) {
        Some(key) => Err(ConfigError::UnknownKey { path: path.to_owned(), key: key.clone() }),
        None => Ok(table),
    }
}

fn raw_value(
    setting: &'static Setting,
    matches: &ArgMatches,
    in_file: Option<&toml::Value>,
) -> Result<RawValue, ConfigError> {
    let source = match (matches.value_source(&setting.key), in_file) {
        (Some(ValueSource::CommandLine), _) => SettingSource::Flag,
        (Some(ValueSource::EnvVariable), _) => SettingSource::Environment,
        (_, Some(_)) => SettingSource::File,
        _ => SettingSource::Default,
    };
    let text = match (source, in_file) {
        (SettingSource::File, Some(value)) => Some(text_of(setting, value)?),
        _ => matches.get_one::<String>(&setting.key).cloned(),
    };
    Ok(RawValue { setting, text, source })
}

fn text_of(setting: &Setting, value: &toml::Value) -> Result<String, ConfigError> {
    let words = |list: &Vec<toml::Value>| {
        list.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    let found = match (&setting.kind, value) {
        (SettingKind::Number, toml::Value::Integer(number)) => Some(number.to_string()),
        (SettingKind::List, toml::Value::Array(list)) => words(list).map(|list| list.join(",")),
        (
            SettingKind::Text | SettingKind::Url | SettingKind::Secret | SettingKind::Word(_),
            toml::Value::String(text),
        ) => Some(text.clone()),
        _ => None,
    };
    let wanted = match &setting.kind {
        SettingKind::Number => "a whole number",
        SettingKind::List => "a list of texts",
        SettingKind::Text | SettingKind::Url | SettingKind::Secret | SettingKind::Word(_) => {
            "a text in quotes"
        }
    };
    found.ok_or_else(|| ConfigError::Value {
        flag: setting.flag(),
        place: SettingSource::File.as_str(),
        problem: format!("must be {wanted}"),
    })
}
