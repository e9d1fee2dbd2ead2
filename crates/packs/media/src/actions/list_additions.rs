//! Lists what members added.

use toolcrib_engine::{prelude::*, shared::page};
use toolcrib_model::{Paged, Role};
use toolcrib_registry::Verb;

use crate::{
    INFO,
    settings::Kind,
    tracking::{self, Addition, Filter, Whose},
};

/// The word for the additions of everybody.
const EVERYBODY: &str = "all";
const WEEK_SECONDS: i64 = 7 * 24 * 60 * 60;

pub struct ListAdditions;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A member by ID or `all` for everybody. Default: the caller. Only admins may ask for others.
    #[schemars(length(min = 1, max = 36))]
    pub user: Option<String>,
    /// Only films or only series.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Only additions from this time on.
    pub since: Option<Ts>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// Additions, newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    pub page: Page<Addition>,
    /// Number of additions that these filters fit.
    pub total: i64,
    /// How many of them are of the last 7 days.
    pub last_7_days: i64,
    /// How many of them are films, and how many series.
    pub by_type: ByType,
}

/// Numbers by type.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ByType {
    /// Films.
    pub movie: i64,
    /// Series.
    pub series: i64,
}

impl Paged for Output {
    fn ends(&self) -> &[Cursor] {
        self.page.ends()
    }
}

impl ReadAction for ListAdditions {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("media_list_additions", Category::Pack(&INFO), Permission::of_pack(INFO.slug, Verb::Read))
            .describe("List the films and series that you, or for admins all members, added: title, who, when, library.")
            .tags(&["movie", "series", "added", "history", "requests", "who"])
            .examples(&["What did I add this month?", "Which films were added lately?", "Who added Severance?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let whose = whose(cx, input.user.as_deref())?;
        let filter = Filter { whose, kind: input.kind, since: input.since };
        let rows = tracking::list(cx.tx, filter, cursor, limit + 1).await?;
        let counts = tracking::count(cx.tx, filter, cx.now.plus_seconds(-WEEK_SECONDS)).await?;
        let of = |kind: Kind| counts.iter().find(|row| row.0 == kind.as_str()).map_or(0, |row| row.1);
        Ok(Output {
            page: Page::from_rows(rows, limit, |row| Cursor { at: row.added_at, id: row.id }),
            total: counts.iter().map(|row| row.1).sum(),
            last_7_days: counts.iter().map(|row| row.2).sum(),
            by_type: ByType { movie: of(Kind::Movie), series: of(Kind::Series) },
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found {}", count(usize::try_from(output.total).unwrap_or_default(), "addition"))
    }
}

/// Returns whose additions are wanted. 403 if they are not the caller's own and the caller is no admin.
fn whose(cx: &ReadCx<'_>, wanted: Option<&str>) -> Result<Whose, ActionError> {
    let own = cx.caller.principal.user().map_or(Whose::Nobody, Whose::Member);
    let wanted = match wanted {
        None => return Ok(own),
        Some(EVERYBODY) => Whose::Everybody,
        Some(text) => {
            let user_id = Id::try_parse(text)
                .map_err(|_| ActionError::invalid("/user", "user", "must be the ID of a member, or `all`"))?;
            Whose::Member(user_id)
        }
    };
    let is_admin = cx.caller.role.is_some_and(|role| role >= Role::Admin);
    if is_admin || wanted == own {
        return Ok(wanted);
    }
    Err(ActionError::new(ErrorCode::PermissionDenied, "only admins may list the additions of others")
        .hint("leave out `user` for your own"))
}
