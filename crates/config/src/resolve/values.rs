//! The values of the settings as texts, and how each kind is parsed.

use std::str::FromStr;

use secrecy::{ExposeSecret as _, SecretString};

use crate::{ConfigError, raw_value::RawValue};

/// The minimum length of a token, in bytes. Shorter ones can be guessed.
const MIN_TOKEN_LEN: usize = 16;

/// The texts of all settings.
pub(super) struct Values<'g>(&'g [RawValue]);

impl<'g> Values<'g> {
    pub(super) fn new(values: &'g [RawValue]) -> Self {
        Self(values)
    }

    fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|value| value.setting.key == key)
    }

    /// Returns the text of a setting. An empty text counts as not set.
    pub(super) fn option(&self, key: &str) -> Option<String> {
        self.get(key)?.text.clone().filter(|text| !text.is_empty())
    }

    pub(super) fn secret(&self, key: &str) -> Option<SecretString> {
        self.option(key).map(SecretString::from)
    }

    pub(super) fn text(&self, key: &'static str) -> Result<String, ConfigError> {
        self.option(key).ok_or_else(|| self.wrong(key, "must not be empty"))
    }

    pub(super) fn list(&self, key: &str) -> Vec<String> {
        let text = self.option(key).unwrap_or_default();
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
    }

    /// Returns the URL of a service that is reached over HTTP.
    pub(super) fn url(&self, key: &'static str) -> Result<Option<String>, ConfigError> {
        let Some(text) = self.option(key) else { return Ok(None) };
        if ["http://", "https://"].iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme))
        {
            return Ok(Some(text));
        }
        Err(self.wrong(key, "must begin with https:// or http://"))
    }

    pub(super) fn parse<T: FromStr>(&self, key: &'static str, problem: &str) -> Result<T, ConfigError> {
        self.text(key)?.parse().map_err(|_| self.wrong(key, problem))
    }

    pub(super) fn parse_option<T: FromStr>(
        &self,
        key: &'static str,
        problem: &str,
    ) -> Result<Option<T>, ConfigError> {
        self.option(key).map(|text| text.parse().map_err(|_| self.wrong(key, problem))).transpose()
    }

    /// Returns a number from 1 to `most`.
    pub(super) fn number(&self, key: &'static str, most: u32) -> Result<u32, ConfigError> {
        let problem = format!("must be a whole number from 1 to {most}");
        let number: u32 = self.parse(key, &problem)?;
        if (1..=most).contains(&number) { Ok(number) } else { Err(self.wrong(key, &problem)) }
    }

    /// Returns whether a setting is on.
    pub(super) fn switch(&self, key: &'static str) -> Result<bool, ConfigError> {
        match self.text(key)?.as_str() {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(self.wrong(key, "must be on or off")),
        }
    }

    /// Fails if a token is too short.
    pub(super) fn check_token(&self, key: &str, token: Option<&SecretString>) -> Result<(), ConfigError> {
        if token.is_some_and(|token| token.expose_secret().len() < MIN_TOKEN_LEN) {
            return Err(self.wrong(key, "must have 16 characters or more"));
        }
        Ok(())
    }

    /// Makes the error for a value that is not valid.
    pub(super) fn wrong(&self, key: &str, problem: &str) -> ConfigError {
        let value = self.get(key);
        ConfigError::Value {
            flag: value.map_or_else(|| key.to_owned(), |value| value.setting.flag()),
            place: value.map_or("default", |value| value.source.as_str()),
            problem: problem.to_owned(),
        }
    }
}
