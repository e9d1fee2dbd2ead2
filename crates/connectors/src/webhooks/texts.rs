//! Messages to people by Slack, Telegram and Twilio: the request of each service, and what its answers mean.
//!
//! The words of a message are partly other people's, so they are cut to the service's limit, and mention nobody.

use std::fmt::Write as _;

use reqwest::{Response, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use toolcrib_model::{visible, visible_lines};
use url::form_urlencoded;

use super::Receipt;
use crate::{UpstreamError, retry_after::retry_after};

/// The most bytes of an answer that are read.
const MAX_ANSWER: usize = 4_096;
/// The room that a link leaves to the words. A longer link is left out.
const MIN_WORDS: usize = 80;

/// A message to people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// One line.
    pub title: String,
    /// What there is to say beyond the title. May be empty.
    pub sentence: String,
    /// Where a person decides or reads more.
    pub link: Option<String>,
}

/// Who receives a message, by which service. A base URL is followed by the path of the service's method.
#[derive(Clone, Copy, Debug)]
pub enum Receiver<'r> {
    /// An incoming webhook of Slack, or of a service that takes the same request. The secret is its URL.
    Slack,
    /// A chat, by the Bot API of Telegram. The secret is the bot's token.
    Telegram { base: &'r str, chat_id: &'r str },
    /// A telephone, by the Messages API of Twilio. The secret is the account's token.
    Twilio { base: &'r str, account_sid: &'r str, from: &'r str, to: &'r str },
}

/// The request that a service takes.
pub(super) struct TextRequest {
    pub url: String,
    pub content_type: &'static str,
    pub body: String,
    /// The user of the basic authentication, whose password is the secret.
    pub user: Option<String>,
}

impl Receiver<'_> {
    pub(super) fn request(self, text: &Text, secret: &SecretString) -> Result<TextRequest, UpstreamError> {
        let secret = secret.expose_secret();
        let json = |url, body: Value| {
            let body = body.to_string();
            TextRequest { url, content_type: "application/json", body, user: None }
        };
        // Slack shows 4,000 characters of a text; Discord refuses more than 2,000.
        Ok(match self {
            Self::Slack => json(secret.to_owned(), json!({ "text": compose(text, 2_000, Style::Slack) })),
            Self::Telegram { base, chat_id } => {
                let url = method(base, &[&format!("bot{secret}"), "sendMessage"])?;
                json(url, json!({ "chat_id": chat_id, "text": compose(text, 4_096, Style::Telegram) }))
            }
            Self::Twilio { base, account_sid, from, to } => TextRequest {
                url: method(base, &["2010-04-01", "Accounts", account_sid, "Messages.json"])?,
                content_type: "application/x-www-form-urlencoded",
                body: form_urlencoded::Serializer::new(String::new())
                    .extend_pairs([("To", to), ("From", from), ("Body", &compose(text, 320, Style::Sms))])
                    .finish(),
                user: Some(account_sid.to_owned()),
            },
        })
    }

    /// Reads what a service answered. Of a body only numbers are kept.
    pub(super) async fn receipt(self, mut answer: Response) -> Receipt {
        let (status, asked) = (answer.status().as_u16(), retry_after(answer.headers()));
        if (200..300).contains(&status) {
            return Receipt { status, ..Receipt::default() };
        }
        let mut bytes = Vec::new();
        while bytes.len() < MAX_ANSWER
            && let Ok(Some(chunk)) = answer.chunk().await
        {
            bytes.extend_from_slice(&chunk);
        }
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let code = body.get("code").and_then(Value::as_i64).filter(|_| matches!(self, Self::Twilio { .. }));
        let asked_in_body = body.pointer("/parameters/retry_after").or_else(|| body.get("retry_after"));
        let asked_in_body = asked_in_body.and_then(Value::as_f64).map(seconds);
        Receipt { status, retry_after: asked.max(asked_in_body), code, is_gone: self.is_gone(status, code) }
    }

    /// Returns whether an answer says that this receiver will take no message any more: Slack removed the webhook,
    /// Telegram's bot was blocked, or the telephone's owner sent STOP to Twilio.
    fn is_gone(self, status: u16, code: Option<i64>) -> bool {
        match self {
            Self::Slack => matches!(status, 404 | 410),
            Self::Telegram { .. } => status == 403,
            Self::Twilio { .. } => code == Some(21_610),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float is cast to the nearest number"
)]
fn seconds(wait: f64) -> u64 {
    wait.ceil() as u64
}

/// Returns the URL of a method below a base URL. Its parts stay inside it, whatever their characters.
fn method(base: &str, parts: &[&str]) -> Result<String, UpstreamError> {
    let wrong = UpstreamError::Settings("its address can't be read");
    let Ok(mut url) = base.parse::<Url>() else { return Err(wrong) };
    let Ok(mut path) = url.path_segments_mut() else { return Err(wrong) };
    path.pop_if_empty().extend(parts);
    drop(path);
    Ok(url.into())
}

/// How words of other people are written, so that they mention nobody and make no link.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// Slack and its like: their control sequences and Markdown links need these characters, and a mention begins with
    /// `@`.
    Slack,
    /// A mention begins with `@`, and whatever looks like a domain or an address becomes a link.
    Telegram,
    /// Telephones make links of what looks like a domain. Numbers stay as they are.
    Sms,
}

impl Style {
    /// Returns what a character becomes between its neighbours; `None` if it stays.
    fn escape(self, before: Option<char>, c: char, after: Option<char>) -> Option<&'static str> {
        let is_in_word =
            |is_part: fn(char) -> bool| before.is_some_and(is_part) && after.is_some_and(is_part);
        match (self, c) {
            (Self::Slack, '&') => Some("&amp;"),
            (Self::Slack, '<') => Some("&lt;"),
            (Self::Slack, '>') => Some("&gt;"),
            (Self::Slack | Self::Telegram, '@') => Some("@\u{200b}"),
            (Self::Slack, ']') => Some("]\u{200b}"),
            (Self::Telegram, '.') if is_in_word(char::is_alphanumeric) => Some(".\u{200b}"),
            (Self::Sms, '.') if is_in_word(char::is_alphanumeric) && !is_in_word(char::is_numeric) => {
                Some(".\u{200b}")
            }
            _ => None,
        }
    }
}

/// Writes title, sentence and link in at most `limit` UTF-16 units, in which Telegram counts. Cuts the words, never the
/// link.
fn compose(text: &Text, limit: usize, style: Style) -> String {
    let units = |text: &str| text.encode_utf16().count();
    let link = text.link.as_deref().map(|link| match style {
        Style::Slack => format!("\n{}", link.replace('&', "&amp;")),
        Style::Telegram | Style::Sms => format!("\n{link}"),
    });
    let link = link.filter(|link| units(link) + MIN_WORDS <= limit).unwrap_or_default();
    let mut words = visible(text.title.trim()).into_owned();
    if !text.sentence.is_empty() {
        let _ = write!(words, "\n{}", visible_lines(text.sentence.trim()));
    }
    // An address in the words of other people is no link.
    let words = words.replace("://", ":\u{200b}//");
    let room = limit - units(&link);
    let (mut composed, mut used, mut cut_at) = (String::new(), 0, 0);
    let (mut before, mut chars) = (None, words.chars().peekable());
    while let Some(c) = chars.next() {
        let end = composed.len();
        match style.escape(before, c, chars.peek().copied()) {
            Some(escaped) => composed.push_str(escaped),
            None => composed.push(c),
        }
        before = Some(c);
        used += units(&composed[end..]);
        if used > room {
            composed.truncate(cut_at);
            composed.push('…');
            break;
        }
        if used < room {
            cut_at = composed.len();
        }
    }
    composed + &link
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(title: &str, sentence: &str, link: Option<&str>) -> Text {
        Text { title: title.into(), sentence: sentence.into(), link: link.map(str::to_owned) }
    }

    #[test]
    fn words_mention_nobody_and_make_no_link_at_slack() {
        let hostile = text(
            "<!channel> @everyone & [Approve](https://evil.test)",
            "<https://evil.test|here>\u{202e}",
            Some("https://ok.test/a?b=1&c=2"),
        );
        assert_eq!(
            compose(&hostile, 2_000, Style::Slack),
            "&lt;!channel&gt; @\u{200b}everyone &amp; [Approve]\u{200b}(https:\u{200b}//evil.test)\n\
             &lt;https:\u{200b}//evil.test|here&gt;\\u{202e}\nhttps://ok.test/a?b=1&amp;c=2"
        );
    }

    #[test]
    fn words_mention_nobody_and_make_no_link_at_telegram_and_in_text_messages() {
        let link = "https://ok.test/approve@1?b=1.2";
        let hostile = text("@admin of evil.test, 10.0.0.7", "v1.2 costs 3.50. See x.co.", Some(link));
        assert_eq!(
            compose(&hostile, 4_096, Style::Telegram),
            "@\u{200b}admin of evil.\u{200b}test, 10.\u{200b}0.\u{200b}0.\u{200b}7\n\
             v1.\u{200b}2 costs 3.\u{200b}50. See x.\u{200b}co.\nhttps://ok.test/approve@1?b=1.2"
        );
        assert_eq!(
            compose(&hostile, 320, Style::Sms),
            "@admin of evil.\u{200b}test, 10.0.0.7\nv1.2 costs 3.50. See x.\u{200b}co.\n\
             https://ok.test/approve@1?b=1.2"
        );
        let mixed = text("evil2.test and 2evil.7z", "", None);
        assert_eq!(compose(&mixed, 320, Style::Sms), "evil2.\u{200b}test and 2evil.\u{200b}7z");
    }

    #[test]
    fn words_are_cut_to_the_limit_and_the_link_is_whole() {
        let link = "https://ok.test/approve/0197a001";
        for (title, style) in [
            ("a", Style::Sms),
            ("a.", Style::Telegram),
            ("😀", Style::Telegram),
            ("<", Style::Slack),
            ("&@]", Style::Slack),
        ] {
            for count in [0, 1, 40, 270, 288, 289, 5_000] {
                let composed = compose(&text(&title.repeat(count), "", Some(link)), 320, style);
                assert!(composed.encode_utf16().count() <= 320, "{title} {count}: {composed}");
                assert!(composed.ends_with(&format!("\n{link}")), "{composed}");
            }
        }
        let long = format!("https://ok.test/{}", "a".repeat(300));
        assert_eq!(compose(&text("Title", "Sentence", Some(&long)), 320, Style::Sms), "Title\nSentence");
        assert_eq!(compose(&text(&"a".repeat(320), "", None), 320, Style::Sms), "a".repeat(320));
        assert_eq!(
            compose(&text(&"a".repeat(321), "", None), 320, Style::Sms),
            format!("{}…", "a".repeat(319))
        );
    }

    #[test]
    fn a_secret_stays_in_its_part_of_the_path() {
        let url = |secret: &str| {
            let to = Receiver::Telegram { base: "http://bots.test:8081/api/", chat_id: "1" };
            to.request(&Text::default(), &SecretString::from(secret)).unwrap().url
        };
        assert_eq!(url("12:ab_-"), "http://bots.test:8081/api/bot12:ab_-/sendMessage");
        assert_eq!(url("12/../../?x#y"), "http://bots.test:8081/api/bot12%2F..%2F..%2F%3Fx%23y/sendMessage");
    }
}
