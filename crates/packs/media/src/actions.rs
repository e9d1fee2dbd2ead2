//! The actions of the pack, one a file.

mod add_movie;
mod add_series;
mod check_status;
mod discover;
mod get_download_queue;
mod get_upcoming_episodes;
mod get_upcoming_movies;
mod list_additions;
mod remove_movie;
mod remove_series;
mod search_movies;
mod search_series;
mod web_search;

use toolcrib_engine::Action;

pub fn all() -> Vec<Action> {
    vec![
        Action::external(check_status::CheckStatus),
        Action::external(search_movies::SearchMovies),
        Action::external(search_series::SearchSeries),
        Action::external(get_upcoming_episodes::GetUpcomingEpisodes),
        Action::external(get_upcoming_movies::GetUpcomingMovies),
        Action::external(get_download_queue::GetDownloadQueue),
        Action::external(discover::Discover),
        Action::external(web_search::WebSearch),
        Action::effect(add_movie::AddMovie),
        Action::effect(add_series::AddSeries),
        Action::effect(remove_movie::RemoveMovie),
        Action::effect(remove_series::RemoveSeries),
        Action::paged(list_additions::ListAdditions),
    ]
}
