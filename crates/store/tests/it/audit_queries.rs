//! Queries over the audit log.

use toolcrib_model::{AuditDecision, AuditKind, Cursor, Id, Outcome, Role, Surface, Ts, Via};
use toolcrib_store::{
    AnyOf, AuditRow, Db,
    audit::{self, AuditColumn, AuditFilter, Counted, chain},
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, seed_named};

use crate::help::audit_row;

const USER: Id = Id::from_u128(1);
const AGENT: Id = Id::from_u128(2);

/// Four rows of a workspace, half an hour apart: a read, an agent's write, a refusal, and the decision on a
/// confirmation.
fn four(ids: &TestIds, workspace: Id) -> Vec<AuditRow> {
    let mut rows: Vec<_> = (0..4).map(|n| audit_row(ids, workspace, NOW.plus_seconds(1_800 * n))).collect();
    rows[1].action = "platform_create_agent".into();
    rows[1].permission_level = "write";
    rows[1].principal_kind = "agent";
    rows[1].principal_id = AGENT;
    rows[1].session = Some("talk".into());
    rows[1].via = Via::Dispatcher;
    rows[1].caller_type = "mission".into();
    rows[2].decision = AuditDecision::Denied;
    rows[2].outcome = Outcome::NotRun;
    rows[2].reason = Some("missing_permission".into());
    rows[2].role = Some(Role::Viewer);
    rows[2].principal_id = Id::from_u128(3);
    rows[2].user_id = Some(Id::from_u128(3));
    rows[2].surface = Surface::Mcp;
    rows[3].kind = AuditKind::Confirmation;
    rows[3].via = Via::Confirmation;
    rows[3].confirmation_id = Some(Id::from_u128(9));
    rows[3].request_id = "another".into();
    rows[3].decision = AuditDecision::Approved;
    rows
}

/// The indexes of the rows that a filter finds, newest first.
async fn found(db: &Db, workspace: Id, rows: &[AuditRow], filter: AuditFilter) -> Vec<usize> {
    let mut tx = db.read(workspace).await.unwrap();
    let found = audit::list(&mut tx, &filter, Cursor::START, 10).await.unwrap();
    tx.end().await.unwrap();
    found.iter().map(|entry| rows.iter().position(|row| row.id == entry.id).unwrap()).collect()
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn at(seconds: i64) -> Ts {
    NOW.plus_seconds(seconds)
}

fn any(words: &[&str]) -> AnyOf {
    words.iter().copied().collect()
}

fn cases() -> Vec<(AuditFilter, Vec<usize>)> {
    let none = AuditFilter::default;
    vec![
        (none(), vec![3, 2, 1, 0]),
        (AuditFilter { action: Some("platform_create_agent".into()), ..none() }, vec![1]),
        (AuditFilter { action: Some("' OR 1=1 --".into()), ..none() }, vec![]),
        (AuditFilter { decision: Some("denied".into()), ..none() }, vec![2]),
        (AuditFilter { decision: Some(any(&["approved", "denied"])), ..none() }, vec![3, 2]),
        (AuditFilter { decision: Some(any(&[])), ..none() }, vec![]),
        (
            AuditFilter { action: Some(any(&["platform_create_agent,platform_list_agents"])), ..none() },
            vec![],
        ),
        (AuditFilter { action: Some("platform_create".into()), ..none() }, vec![]),
        (AuditFilter { reason: Some(any(&["missing_permission", "other"])), ..none() }, vec![2]),
        (AuditFilter { outcome: Some("succeeded".into()), ..none() }, vec![3, 1, 0]),
        (AuditFilter { level: Some("write".into()), ..none() }, vec![1]),
        (AuditFilter { principal: Some(USER), ..none() }, vec![3, 0]),
        (AuditFilter { principal: Some(AGENT), ..none() }, vec![1]),
        (AuditFilter { user: Some(USER), ..none() }, vec![3, 1, 0]),
        (AuditFilter { session: Some(text("talk")), ..none() }, vec![1]),
        (AuditFilter { kind: Some("confirmation".into()), ..none() }, vec![3]),
        (AuditFilter { via: Some("dispatcher".into()), ..none() }, vec![1]),
        (AuditFilter { surface: Some("mcp".into()), ..none() }, vec![2]),
        (AuditFilter { role: Some("viewer".into()), ..none() }, vec![2]),
        (AuditFilter { caller_type: Some("mission".into()), ..none() }, vec![1]),
        (AuditFilter { reason: Some("missing_permission".into()), ..none() }, vec![2]),
        (AuditFilter { confirmation_id: Some(Id::from_u128(9)), ..none() }, vec![3]),
        (AuditFilter { request_id: Some(text("another")), ..none() }, vec![3]),
        (AuditFilter { from: Some(at(1_800)), ..none() }, vec![3, 2, 1]),
        (AuditFilter { to: Some(at(1_800)), ..none() }, vec![0]),
        (
            AuditFilter { from: Some(at(1_800)), to: Some(at(3_601)), level: Some("read".into()), ..none() },
            vec![2],
        ),
    ]
}

/// A filter that requires both filters; `None` if they require different values of the same field.
fn both(a: &AuditFilter, b: &AuditFilter) -> Option<AuditFilter> {
    fn join<T: Clone + PartialEq>(a: Option<&T>, b: Option<&T>) -> Result<Option<T>, ()> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => Err(()),
            (a, b) => Ok(a.or(b).cloned()),
        }
    }
    let joined = || {
        Ok::<_, ()>(AuditFilter {
            action: join(a.action.as_ref(), b.action.as_ref())?,
            decision: join(a.decision.as_ref(), b.decision.as_ref())?,
            outcome: join(a.outcome.as_ref(), b.outcome.as_ref())?,
            level: join(a.level.as_ref(), b.level.as_ref())?,
            principal: join(a.principal.as_ref(), b.principal.as_ref())?,
            user: join(a.user.as_ref(), b.user.as_ref())?,
            session: join(a.session.as_ref(), b.session.as_ref())?,
            kind: join(a.kind.as_ref(), b.kind.as_ref())?,
            via: join(a.via.as_ref(), b.via.as_ref())?,
            surface: join(a.surface.as_ref(), b.surface.as_ref())?,
            role: join(a.role.as_ref(), b.role.as_ref())?,
            caller_type: join(a.caller_type.as_ref(), b.caller_type.as_ref())?,
            reason: join(a.reason.as_ref(), b.reason.as_ref())?,
            confirmation_id: join(a.confirmation_id.as_ref(), b.confirmation_id.as_ref())?,
            request_id: join(a.request_id.as_ref(), b.request_id.as_ref())?,
            from: join(a.from.as_ref(), b.from.as_ref())?,
            to: join(a.to.as_ref(), b.to.as_ref())?,
            hides_console_reads: a.hides_console_reads || b.hides_console_reads,
        })
    };
    joined().ok()
}

/// Seals every row, which gives it its number in the chain, the oldest first.
async fn seal(db: &Db, workspace: Id) {
    let start = Cursor { at: Ts::from_micros(i64::MIN), id: Id::nil() };
    let (head, rows) = chain::unsealed(db, workspace, start, Ts::from_micros(i64::MAX), 100).await.unwrap();
    let sealing = chain::Sealing::of(workspace, head, &rows, NOW);
    let mut tx = db.begin_write_as_worker().await.unwrap();
    let appended = chain::append(&mut tx, &[sealing]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(appended.sealed, rows.len());
}

fn pairs(pairs: &[(&str, i64)]) -> Vec<(String, i64)> {
    pairs.iter().map(|(value, n)| ((*value).to_owned(), *n)).collect()
}

#[both_databases]
async fn every_filter_finds_its_rows(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let rows = four(&ids, world.workspace);
    db.audit(rows.clone()).await.unwrap();
    for (filter, expected) in cases() {
        let said = format!("{filter:?}");
        assert_eq!(found(&db, world.workspace, &rows, filter).await, expected, "{said}");
    }
}

#[both_databases]
async fn every_two_filters_find_what_both_find_in_either_order_and_count_it(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let rows = four(&ids, world.workspace);
    db.audit(rows.clone()).await.unwrap();
    seal(&db, world.workspace).await;
    let (cases, mut tried) = (cases(), 0);
    let mut tx = db.read(world.workspace).await.unwrap();
    for (a, by_a) in &cases {
        for (b, by_b) in &cases {
            let Some(filter) = both(a, b) else { continue };
            let expected: Vec<usize> = by_a.iter().filter(|row| by_b.contains(row)).copied().collect();
            let place = |id: Id| rows.iter().position(|row| row.id == id).unwrap();
            let down = audit::list(&mut tx, &filter, Cursor::START, 10).await.unwrap();
            assert_eq!(down.iter().map(|row| place(row.id)).collect::<Vec<_>>(), expected, "{filter:?}");
            let up = audit::chained_rows(&mut tx, &filter, 0, 10).await.unwrap();
            assert_eq!(
                up.iter().rev().map(|row| place(row.entry.id)).collect::<Vec<_>>(),
                expected,
                "{filter:?}"
            );
            let counted = audit::counts(&mut tx, &filter, AuditColumn::Hour, Counted::Rows).await.unwrap();
            let total: i64 = counted.iter().map(|(_, n)| n).sum();
            assert_eq!(usize::try_from(total).unwrap(), expected.len(), "{filter:?}");
            tried += 1;
        }
    }
    tx.end().await.unwrap();
    println!("{}: {tried} pairs of filters", db.kind());
    assert!(tried > 300, "{tried}");
}

#[both_databases]
async fn pages_join_without_gap_or_overlap(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    // All rows have the same time, so the id alone decides their order.
    let rows: Vec<_> = (0..7).map(|_| audit_row(&ids, world.workspace, NOW)).collect();
    db.audit(rows.clone()).await.unwrap();
    let (mut cursor, mut seen) = (Cursor::START, Vec::new());
    let mut tx = db.read(world.workspace).await.unwrap();
    loop {
        let page = audit::list(&mut tx, &AuditFilter::default(), cursor, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        cursor = Cursor { at: last.occurred_at, id: last.id };
        seen.extend(page.iter().map(|entry| entry.id));
    }
    tx.end().await.unwrap();
    assert_eq!(seen, rows.iter().rev().map(|row| row.id).collect::<Vec<_>>());
}

#[both_databases]
async fn counts_by_each_column(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    db.audit(four(&ids, world.workspace)).await.unwrap();
    let mut tx = db.read(world.workspace).await.unwrap();
    let (user, agent, third) = (USER.to_string(), AGENT.to_string(), Id::from_u128(3).to_string());
    for (column, expected) in [
        (AuditColumn::Action, vec![("platform_list_agents", 3), ("platform_create_agent", 1)]),
        (AuditColumn::Decision, vec![("auto_allowed", 2), ("approved", 1), ("denied", 1)]),
        (AuditColumn::Outcome, vec![("succeeded", 3), ("not_run", 1)]),
        (AuditColumn::Level, vec![("read", 3), ("write", 1)]),
        (AuditColumn::Kind, vec![("call", 3), ("confirmation", 1)]),
        (AuditColumn::Via, vec![("direct", 2), ("confirmation", 1), ("dispatcher", 1)]),
        (AuditColumn::Surface, vec![("rest", 3), ("mcp", 1)]),
        (AuditColumn::Role, vec![("owner", 3), ("viewer", 1)]),
        (AuditColumn::CallerType, vec![("api", 3), ("mission", 1)]),
        (AuditColumn::Reason, vec![("missing_permission", 1)]),
        (AuditColumn::Principal, vec![(&*user, 2), (&*agent, 1), (&*third, 1)]),
        (AuditColumn::User, vec![(&*user, 3), (&*third, 1)]),
        (AuditColumn::Session, vec![("talk", 1)]),
        (AuditColumn::Confirmation, vec![("00000000-0000-0000-0000-000000000009", 1)]),
        (AuditColumn::Request, vec![("request", 3), ("another", 1)]),
        (AuditColumn::Hour, vec![("2026-01-15T10:00:00.000000Z", 2), ("2026-01-15T11:00:00.000000Z", 2)]),
    ] {
        let counted = audit::counts(&mut tx, &AuditFilter::default(), column, Counted::Rows).await.unwrap();
        assert_eq!(counted, pairs(&expected), "{column:?}");
    }
    let filter = AuditFilter { outcome: Some("not_run".into()), ..AuditFilter::default() };
    let counted = audit::counts(&mut tx, &filter, AuditColumn::Action, Counted::Rows).await.unwrap();
    assert_eq!(counted, pairs(&[("platform_list_agents", 1)]));
    tx.end().await.unwrap();
}

#[both_databases]
async fn another_workspaces_log_is_not_there(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let rows = four(&ids, world.workspace);
    db.audit(rows.clone()).await.unwrap();
    assert!(found(&db, other.workspace, &rows, AuditFilter::default()).await.is_empty());
    let mut tx = db.read(other.workspace).await.unwrap();
    assert!(audit::get(&mut tx, rows[0].id).await.unwrap().is_none());
    assert!(
        audit::counts(&mut tx, &AuditFilter::default(), AuditColumn::Action, Counted::Rows)
            .await
            .unwrap()
            .is_empty()
    );
    tx.end().await.unwrap();
}

#[both_databases]
async fn what_pages_of_the_console_read_may_be_left_out(db: TestDb) {
    let ids = TestIds::default();
    let workspace = seed(&db, &clock(), &ids).await.workspace;
    let of = |kind, surface, level| AuditRow {
        kind,
        surface,
        permission_level: level,
        ..audit_row(&ids, workspace, NOW)
    };
    let rows = [
        of(AuditKind::Admin, Surface::Console, "read"),
        of(AuditKind::Admin, Surface::Console, "write"),
        of(AuditKind::Call, Surface::Console, "read"),
        of(AuditKind::Admin, Surface::Rest, "read"),
    ];
    db.audit(rows.to_vec()).await.unwrap();
    let mut shown =
        found(&db, workspace, &rows, AuditFilter { hides_console_reads: true, ..AuditFilter::default() })
            .await;
    shown.sort_unstable();
    assert_eq!(shown, [1, 2, 3]);
    assert_eq!(found(&db, workspace, &rows, AuditFilter::default()).await.len(), 4);
}
