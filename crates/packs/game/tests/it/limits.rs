//! How much a workspace and a project hold. Rows up to a limit are copies of one.

use serde_json::{Value, json};
use toolcrib_store::{StoreError, WriteTx, with_backend};
use toolcrib_testkit::{TestDb, both_databases, write};

use crate::{
    exports::{export, json_of},
    place::{Place, edge, fields, text},
};

/// Runs a statement in the first workspace, which is `$1`. `NEW_ID` in it makes an ID.
async fn run(place: &Place, sql: &str) {
    let done = write(&place.db, place.a.workspace, async |tx: &mut WriteTx| {
        let sql = sql.replace("NEW_ID", tx.sql("randomblob(16)", "gen_random_uuid()"));
        with_backend!(tx, workspace, c => sqlx::query(sqlx::AssertSqlSafe(sql)).bind(workspace)
            .execute(c).await.map(|_| ()))?;
        Ok::<_, StoreError>(())
    });
    done.await.unwrap();
}

/// Copies the row of a table until it has `most`. The copies have other values in `unique`.
pub async fn fill(place: &Place, table: &str, same: &str, unique: &[&str], most: usize) {
    let names = unique.join(", ");
    let values: Vec<String> = unique.iter().map(|name| format!("{name} || ' ' || i")).collect();
    let (comma, values) = (if unique.is_empty() { "" } else { ", " }, values.join(", "));
    let sql = format!(
        "INSERT INTO {table} (workspace_id, id, {same}{comma}{names}) WITH RECURSIVE n (i) AS (SELECT 1 \
         UNION ALL SELECT i + 1 FROM n WHERE i < {most} - 1) \
         SELECT workspace_id, NEW_ID, {same}{comma}{values} FROM {table} CROSS JOIN n WHERE workspace_id = $1"
    );
    run(place, &sql).await;
}

/// Makes a project with 2,000 systems and 10,000 dependencies: each system requires the next ones by slug.
pub async fn largest(place: &Place) -> String {
    let quest = place.project("Quest").await;
    place.systems(&quest, &["A"]).await;
    let same = "project_id, name, status, mvp_criticality, version, created_by, created_at, updated_at";
    fill(place, "game_systems", same, &["slug"], 2_000).await;
    run(
        place,
        "INSERT INTO game_dependencies (workspace_id, project_id, source_id, target_id, kind) \
         WITH s AS (SELECT workspace_id, project_id, id, row_number() OVER (ORDER BY slug) AS n \
         FROM game_systems WHERE workspace_id = $1) \
         SELECT s.workspace_id, s.project_id, s.id, t.id, 'requires' FROM s JOIN s AS t \
         ON t.n > s.n AND t.n <= s.n + 6 ORDER BY s.n, t.n LIMIT 10000",
    )
    .await;
    quest
}

/// Checks that the call is refused because of a limit.
async fn is_full(place: &Place, action: &str, arguments: Value, limit: &str) {
    let problem = place.owner().problem(action, arguments).await;
    assert_eq!((problem.status, problem.code.as_str()), (409, "conflict"), "{action}: {problem:?}");
    assert!(problem.detail.starts_with(&format!("the limit is {limit}; ")), "{action}: {}", problem.detail);
    assert!(problem.hint.as_ref().unwrap().contains("`game_"), "{action}: {problem:?}");
}

#[both_databases]
async fn a_workspace_has_500_projects(db: TestDb) {
    let place = Place::new(db).await;
    place.project("Quest").await;
    let same = "status, version, created_by, created_at, updated_at";
    fill(&place, "game_projects", same, &["name", "name_key"], 499).await;
    let last = place.project("Last").await;
    is_full(&place, "game_create_project", json!({ "name": "New" }), "500 projects of a workspace").await;
    place.owner().confirmed("game_delete_project", json!({ "project": last })).await;
    place.project("New").await;
}

#[both_databases]
async fn a_project_has_2000_systems_and_10000_dependencies(db: TestDb) {
    let place = Place::new(db).await;
    let quest = place.project("Quest").await;
    place.systems(&quest, &["A"]).await;
    let same = "project_id, name, status, mvp_criticality, version, created_by, created_at, updated_at";
    fill(&place, "game_systems", same, &["slug"], 1_999).await;
    place.systems(&quest, &["B"]).await;
    let new = json!({ "project": quest, "name": "C", "slug": "c" });
    is_full(&place, "game_create_game_system", new, "2000 systems of a project").await;
    let markdown = json!({ "project": quest, "markdown": "# C\n\n## System ID\n\nc\n" });
    is_full(&place, "game_import_system_from_markdown", markdown, "2000 systems of a project").await;
    run(
        &place,
        "INSERT INTO game_dependencies (workspace_id, project_id, source_id, target_id, kind) \
         SELECT s.workspace_id, s.project_id, s.id, t.id, 'optional' FROM game_systems s JOIN game_systems t \
         ON t.workspace_id = s.workspace_id AND t.project_id = s.project_id AND t.id <> s.id \
         WHERE s.workspace_id = $1 AND s.slug <> 'b' LIMIT 10000",
    )
    .await;
    let add = edge(&quest, "b", "a");
    is_full(&place, "game_add_dependency", add, "10000 dependencies of a project").await;
}

#[both_databases]
async fn a_project_has_500_plans(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    place.systems(&quest, &["A"]).await;
    let plan =
        |label: &str| json!({ "project": quest, "version_label": label, "title": "t", "systems": ["a"] });
    owner.done("game_create_version_plan", plan("v1")).await;
    let same = "project_id, title, status, created_by, created_at";
    fill(&place, "game_plans", same, &["version_label", "label_key"], 499).await;
    owner.done("game_create_version_plan", plan("v2")).await;
    is_full(&place, "game_create_version_plan", plan("v3"), "500 plans of a project").await;
}

#[both_databases]
async fn a_project_keeps_its_newest_200_exports_of_64_mebibytes(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    let export = async || {
        place.clock.advance(1);
        let made = owner.done("game_generate_export", json!({ "project": quest, "type": "gdd" })).await;
        text(&made["id"])
    };
    let newest = async || {
        let list = owner.done("game_list_exports", json!({ "project": quest, "limit": 3 })).await;
        fields(&list["items"], "id")
    };
    let count = async || {
        owner.done("game_get_project", json!({ "project": quest })).await["counts"]["exports"].clone()
    };
    let [_, second] = [export().await, export().await];
    run(&place, "UPDATE game_exports SET bytes = 33554430 WHERE workspace_id = $1").await;
    let third = export().await;
    assert_eq!(newest().await, [third, second], "the oldest made room");
    run(&place, "UPDATE game_exports SET bytes = 67108860 WHERE workspace_id = $1").await;
    let fourth = export().await;
    assert_eq!(newest().await, [fourth]);
    run(&place, "UPDATE game_exports SET bytes = 1 WHERE workspace_id = $1").await;
    let same = "project_id, kind, format, title, bytes, created_by, created_at, content";
    fill(&place, "game_exports", same, &[], 200).await;
    let fifth = export().await;
    assert_eq!((count().await, &newest().await[0]), (json!(200), &fifth));
}

#[both_databases]
async fn a_project_has_1000_brainstorms_5000_threads_and_10000_messages_in_each(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    let brainstorm = json!({ "project": quest, "title": "t", "content": "four" });
    owner.done("game_create_brainstorm", brainstorm.clone()).await;
    run(&place, "UPDATE game_brainstorms SET bytes = 67108861 WHERE workspace_id = $1").await;
    let bytes = "67108864 bytes of brainstorms of a project";
    is_full(&place, "game_create_brainstorm", brainstorm.clone(), bytes).await;
    run(&place, "UPDATE game_brainstorms SET bytes = 4 WHERE workspace_id = $1").await;
    let same = "project_id, title, source, tags, bytes, created_by, created_at, content";
    fill(&place, "game_brainstorms", same, &[], 999).await;
    owner.done("game_create_brainstorm", brainstorm.clone()).await;
    is_full(&place, "game_create_brainstorm", brainstorm, "1000 brainstorms of a project").await;
    let thread = json!({ "project": quest, "content": "c" });
    let first = text(&owner.done("game_create_idea_thread", thread.clone()).await["id"]);
    let same = "project_id, message_count, last_message_at, created_by, created_at";
    fill(&place, "game_threads", same, &[], 4_999).await;
    owner.done("game_create_idea_thread", thread.clone()).await;
    is_full(&place, "game_create_idea_thread", thread, "5000 idea threads of a project").await;
    run(&place, "UPDATE game_threads SET message_count = 9999 WHERE workspace_id = $1").await;
    let message = json!({ "project": quest, "thread": first, "content": "c" });
    owner.done("game_post_idea_message", message.clone()).await;
    is_full(&place, "game_post_idea_message", message, "10000 messages of a thread").await;
}

#[both_databases]
async fn an_export_has_the_newest_10000_changes_and_says_that_there_are_more(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    let [id] = &place.systems(&quest, &["A"]).await[..] else { panic!("one system") };
    let older = "UPDATE game_system_changes SET kind = 'updated', changed_at = 0 WHERE workspace_id = $1";
    run(&place, older).await;
    let same = "project_id, system_id, system_name, kind, fields, changed_by, changed_at";
    fill(&place, "game_system_changes", same, &[], 10_000).await;
    let asked = json!({ "project": quest, "type": "gdd", "include_changelog": true });
    let whole = json_of(&owner, asked.clone()).await;
    assert_eq!(
        (whole["changelog"][id].as_array().unwrap().len(), &whole["changelog_truncated"]),
        (10_000, &Value::Null)
    );
    let more = "\n- older changes are left out\n";
    assert!(!export(&owner, asked.clone()).await.contains(more));
    place.systems(&quest, &["B"]).await;
    let cut = json_of(&owner, asked.clone()).await;
    assert_eq!(
        (cut["changelog"][id].as_array().unwrap().len(), &cut["changelog_truncated"]),
        (9_999, &json!(true))
    );
    let text = export(&owner, asked).await;
    assert_eq!(text.matches(more).count(), 1, "the log of the other system is whole");
    assert!(text.split("# System: B").next().unwrap().contains(more));
}

#[both_databases]
async fn texts_are_counted_in_bytes(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    // 32 KiB of characters that have two bytes each are 64 KiB.
    let system = |text: &str, times: usize| {
        let purpose = text.repeat(times);
        json!({ "project": quest, "name": "A", "slug": "a", "purpose": purpose })
    };
    let long = owner.problem("game_create_game_system", system("ä", 16 * 1024 + 1)).await;
    assert_eq!((long.status, &*long.errors[0].pointer), (422, "/purpose"));
    owner.done("game_create_game_system", system("ä", 16 * 1024)).await;
    let brainstorm = |times: usize| json!({ "project": quest, "title": "t", "content": "ä".repeat(times) });
    let long = owner.problem("game_create_brainstorm", brainstorm(128 * 1024 + 1)).await;
    assert_eq!((long.status, &*long.errors[0].pointer), (422, "/content"));
    owner.done("game_create_brainstorm", brainstorm(128 * 1024)).await;
}

#[both_databases]
async fn an_import_tells_of_100_unknown_systems_and_counts_the_others(db: TestDb) {
    let place = Place::new(db).await;
    let quest = place.project("Quest").await;
    let list: Vec<String> = (0..150).map(|at| format!("- s{at}\n")).collect();
    let markdown = format!("# A\n\n## System ID\n\na\n\n## Dependencies\n\n{}", list.concat());
    let arguments = json!({ "project": quest, "markdown": markdown });
    let imported = place.owner().done("game_import_system_from_markdown", arguments).await;
    let warnings = imported["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 101);
    assert_eq!(warnings[100]["message"], "And 50 more dependencies on unknown systems");
}
