//! Searches the web.

use toolcrib_engine::prelude::*;

use crate::{
    kind::Kind,
    server::{LOCAL, Server},
    text::{Text, without_markup},
};

/// The most words of a query, as Brave has it.
const MAX_WORDS: usize = 50;
/// The longest description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 300;
/// The longest address, in characters.
const MAX_URL_CHARS: usize = 2_000;

pub struct WebSearch;

/// Age of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Freshness {
    /// Of the last 24 hours.
    Day,
    /// Of the last 7 days.
    Week,
    /// Of the last 31 days.
    Month,
    /// Of the last year.
    Year,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to search for, in up to 50 words.
    #[schemars(length(min = 1, max = 400))]
    pub query: String,
    /// Only pages of this age. Default: any.
    #[schemars(extend("x-plain-words" = true))]
    pub freshness: Option<Freshness>,
}

/// A page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Title.
    pub title: Text,
    /// Address.
    pub url: Text,
    /// Description; null if there is none.
    pub description: Option<Text>,
}

/// Result of `media_web_search`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Up to 5 pages, best match first.
    pub items: Vec<Item>,
    /// The query that was used instead, with corrected spelling; null if yours was.
    pub altered: Option<Text>,
}

/// What Brave answers. There is no `web` if nothing is found.
#[derive(Deserialize)]
struct Answer {
    query: Query,
    web: Option<Web>,
}

#[derive(Deserialize)]
struct Query {
    altered: Option<String>,
}

#[derive(Deserialize)]
struct Web {
    results: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    title: String,
    url: String,
    description: Option<String>,
}

impl ExternalAction for WebSearch {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        crate::read("media_web_search")
            .describe("Search the web for news and facts on films and series, such as reviews, casts and release dates (Brave).")
            .tags(&["web", "search", "internet", "news", "reviews", "brave"])
            .examples(&["What do critics say about Dune Part Two?", "Look up on the web when Severance returns"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let words = input.query.split_whitespace().count();
        if words > MAX_WORDS {
            return Err(ActionError::invalid(
                "/query",
                "too_long",
                format!("has {words} words; {MAX_WORDS} are the most"),
            ));
        }
        let brave = Server::of(cx, Kind::Brave, LOCAL).await?;
        let mut query = vec![
            ("q", &*input.query),
            ("count", "5"),
            ("text_decorations", "false"),
            ("result_filter", "web"),
        ];
        query.extend(input.freshness.map(|freshness| ("freshness", freshness.as_brave())));
        let answer: Answer = brave.get("/web/search", &query).await?;
        let pages = answer.web.into_iter().flat_map(|web| web.results).take(5);
        Ok(Output {
            items: pages.map(Item::from).collect(),
            altered: answer.query.altered.and_then(|altered| Text::name(&altered).filled()),
        })
    }

    fn services(&self) -> &'static [&'static str] {
        &["brave"]
    }

    fn describe(input: &Input, output: &Output) -> String {
        format!("Found {} for `{}`", count(output.items.len(), "page"), input.query)
    }
}

impl Freshness {
    const fn as_brave(self) -> &'static str {
        match self {
            Self::Day => "pd",
            Self::Week => "pw",
            Self::Month => "pm",
            Self::Year => "py",
        }
    }
}

impl From<Page> for Item {
    fn from(page: Page) -> Self {
        let description = without_markup(page.description.as_deref().unwrap_or_default());
        Self {
            title: Text::name(&without_markup(&page.title)),
            url: Text::cut(&page.url, MAX_URL_CHARS),
            description: Text::cut(&description, MAX_DESCRIPTION_CHARS).filled(),
        }
    }
}
