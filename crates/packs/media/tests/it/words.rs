//! The words of the pack. `tests/it/pack_phrases.rs` of the workspace has its search phrases.

#[test]
fn the_pack_names_tmdb_as_its_terms_ask() {
    let notice = "This product uses the TMDB API but is not endorsed or certified by TMDB.";
    assert!(toolcrib_media::pack().info.description.contains(notice));
}
