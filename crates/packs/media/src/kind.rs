//! Which services there are.

use serde_json::Value;

use crate::UPSTREAMS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Radarr,
    Sonarr,
    Tmdb,
    Brave,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Radarr => "radarr",
            Self::Sonarr => "sonarr",
            Self::Tmdb => "tmdb",
            Self::Brave => "brave",
        }
    }

    /// Returns the name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Radarr => "Radarr",
            Self::Sonarr => "Sonarr",
            Self::Tmdb => "TMDB",
            Self::Brave => "Brave",
        }
    }

    /// Returns whether it is a server of the household.
    pub const fn is_arr(self) -> bool {
        matches!(self, Self::Radarr | Self::Sonarr)
    }

    pub fn key_hint(self) -> String {
        let name = self.name();
        let set = format!("an admin sets it with `PUT /v1/upstreams/{name}/secret`");
        match self {
            Self::Radarr | Self::Sonarr => {
                format!(
                    "its API key is in its settings under General, and goes into the header `X-Api-Key`; {set}"
                )
            }
            Self::Tmdb => {
                format!(
                    "TMDB takes the API Read Access Token, which begins with `eyJ`, and not the API key; {set}"
                )
            }
            Self::Brave => format!("the token goes into the header `X-Subscription-Token`; {set}"),
        }
    }

    /// Returns who corrects the address, and to what if it is the same for everybody.
    pub fn address_hint(self) -> String {
        let usual = UPSTREAMS.iter().find(|need| need.name == self.name()).and_then(|need| need.base_url);
        let to = usual.map(|address| format!(" to `{address}`")).unwrap_or_default();
        format!("an admin corrects the address{to} with `PATCH /v1/upstreams/{}`", self.name())
    }

    /// Returns whether an answer is one of the other server. The two have calendars and queues at the same paths.
    pub fn is_of_other(self, answer: &Value) -> bool {
        let list = answer.as_array().or_else(|| answer.get("records")?.as_array());
        let has = |name: &str| list.into_iter().flatten().any(|item| item.get(name).is_some());
        match self {
            Self::Radarr => has("seriesId") || has("tvdbId"),
            Self::Sonarr => has("movieId") || has("minimumAvailability"),
            Self::Tmdb | Self::Brave => false,
        }
    }
}
