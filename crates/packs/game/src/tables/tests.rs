//! The statements on both databases: columns are read as they were written, and a project has its own rows.

use toolcrib_model::{Cursor, Id, IdGen, Ts};
use toolcrib_store::{StoreError, WriteTx};
use toolcrib_testkit::{NOW, TestDb, TestIds, World, both_databases, clock, seed, seed_named, write};

use super::{
    activity,
    brainstorms::{self, Brainstorm, BrainstormRow, BrainstormSource},
    dependencies::{self, DependencyRow},
    exports::{self, ExportFormat, ExportRow, ExportType},
    plans::{self, PlanRow, PlanStatus},
    projects::{self, Counts, Lock, ProjectRow, ProjectStatus},
    systems::{self, ChangeKind, ChangeRow, Filter, System, SystemRow},
    threads::{self, MessageRow, ThreadRow},
};
use crate::{
    graph::DependencyType,
    system::{Criticality, SystemStatus, Texts},
};

/// What a test writes into.
struct Place {
    ids: TestIds,
    world: World,
}

impl Place {
    async fn new(db: &TestDb) -> Self {
        db.migrate_packs(&[crate::pack().schema.unwrap()]).await.unwrap();
        let ids = TestIds::default();
        Self { world: seed(db, &clock(), &ids).await, ids }
    }

    fn id(&self) -> Id {
        self.ids.new_id(NOW)
    }

    fn project(&self, name: &str) -> ProjectRow {
        ProjectRow {
            id: self.id(),
            name: name.into(),
            description: Some("d".into()),
            genre: None,
            platform: Some("pc".into()),
            status: ProjectStatus::Ideation,
            created_by: self.world.owner,
            created_at: NOW,
            updated_at: NOW,
            version: 1,
        }
    }

    fn system(&self, slug: &str) -> System {
        let row = SystemRow {
            id: self.id(),
            name: slug.to_uppercase(),
            slug: slug.into(),
            status: SystemStatus::Review,
            mvp_criticality: Criticality::PostMvp,
            brainstorm_id: None,
            created_by: self.world.owner,
            created_at: NOW,
            updated_at: NOW,
            version: 1,
        };
        let mut texts = Texts::default();
        for (text, (name, _)) in texts.all_mut().into_iter().zip(Texts::FIELDS) {
            *text = Some(format!("{slug} {name}"));
        }
        System { row, texts }
    }

    fn plan(&self, label: &str) -> PlanRow {
        PlanRow {
            id: self.id(),
            version_label: label.into(),
            title: "t".into(),
            description: None,
            status: PlanStatus::Draft,
            created_by: self.world.owner,
            created_at: NOW,
            finalized_by: None,
            finalized_at: None,
            sha256: None,
            snapshot: None,
        }
    }

    fn message(&self, by: Id, at: Ts) -> MessageRow {
        MessageRow {
            id: self.ids.new_id(at),
            parent_id: None,
            content: "m".into(),
            created_by: by,
            created_at: at,
        }
    }
}

/// Inserts a project with the systems `a`, `b` and `c`, of which `a` requires `b` and `c` enhances `b`.
async fn filled(db: &TestDb, place: &Place, name: &str) -> (Id, [System; 3]) {
    let (project, all) = (place.project(name), ["a", "b", "c"].map(|slug| place.system(slug)));
    let edge = |source: usize, target: usize, kind| DependencyRow {
        source_id: all[source].row.id,
        target_id: all[target].row.id,
        kind,
    };
    let edges = [edge(0, 1, DependencyType::Requires), edge(2, 1, DependencyType::Enhances)];
    write(db, place.world.workspace, async |tx: &mut WriteTx| {
        projects::insert(tx, &project).await?;
        for system in &all {
            systems::insert(tx, project.id, system).await?;
        }
        dependencies::insert(tx, project.id, &edges).await
    })
    .await
    .unwrap();
    (project.id, all)
}

#[both_databases]
async fn projects_are_read_as_written(db: TestDb) {
    let place = Place::new(&db).await;
    let mut row = place.project("Ärmel");
    write(&db, place.world.workspace, async |tx: &mut WriteTx| projects::insert(tx, &row).await)
        .await
        .unwrap();
    let taken = place.project("ärmel");
    let taken =
        write(&db, place.world.workspace, async |tx: &mut WriteTx| projects::insert(tx, &taken).await).await;
    assert!(matches!(taken, Err(StoreError::Duplicate)), "{taken:?}");
    write(&db, place.world.workspace, async |tx: &mut WriteTx| {
        for lock in [Lock::Add, Lock::Change, Lock::Delete] {
            assert!(projects::lock(tx, row.id, lock).await?.is_some());
        }
        let read = projects::by_name(tx, "äRMEL").await?;
        assert_eq!(format!("{:?}", read.unwrap()), format!("{row:?}"));
        row.status = ProjectStatus::Archived;
        row.genre = Some("rpg".into());
        projects::update(tx, &row).await?;
        row.version = 2;
        assert_eq!(format!("{:?}", projects::get(tx, row.id).await?.unwrap()), format!("{row:?}"));
        assert_eq!(projects::list(tx, None, Some(ProjectStatus::Live), Cursor::START, 9).await?.len(), 0);
        assert_eq!(projects::list(tx, None, Some(ProjectStatus::Archived), Cursor::START, 9).await?.len(), 1);
        assert_eq!(projects::names(tx).await?, ["Ärmel"]);
        Ok::<_, StoreError>(())
    })
    .await
    .unwrap();
}

#[both_databases]
async fn systems_are_read_as_written(db: TestDb) {
    let place = Place::new(&db).await;
    let (project, [mut a, b, c]) = filled(&db, &place, "P").await;
    let (other, _) = filled(&db, &place, "Q").await;
    write(&db, place.world.workspace, async |tx: &mut WriteTx| {
        let read = systems::whole(tx, project, &[a.row.id, place.id()]).await?;
        assert_eq!(format!("{read:?}"), format!("{:?}", [&a]));
        a.row.name = "New".into();
        a.row.brainstorm_id = Some(place.id());
        a.texts.inputs = None;
        systems::update(tx, project, &a).await?;
        a.row.version = 2;
        let read = systems::whole(tx, project, &[a.row.id]).await?;
        assert_eq!(format!("{read:?}"), format!("{:?}", [&a]));
        let found = systems::of_brainstorm(tx, project, a.row.brainstorm_id.unwrap()).await?;
        assert_eq!(found[0].id, a.row.id);
        assert!(systems::get(tx, other, a.row.id).await?.is_none());
        assert_eq!(systems::by_slug(tx, project, "b").await?.unwrap().id, b.row.id);
        let search = |part: &str| Filter { search: Some(part.into()), ..Filter::default() };
        let found = systems::list(tx, project, &search("NE"), Cursor::START, 9).await?;
        assert_eq!(found.len(), 1);
        let none = Filter { status: Some(SystemStatus::Draft), ..search("") };
        assert_eq!(systems::list(tx, project, &none, Cursor::START, 9).await?.len(), 0);
        let all = Filter { mvp_criticality: Some(Criticality::PostMvp), ..Filter::default() };
        assert_eq!(systems::list(tx, project, &all, Cursor::START, 2).await?.len(), 2);
        systems::delete(tx, project, b.row.id).await?;
        assert_eq!(systems::nodes(tx, project).await?.len(), 2);
        assert!(dependencies::graph(tx, project).await?.edges().is_empty());
        let duplicate =
            System { row: SystemRow { id: place.id(), ..c.row.clone() }, texts: Texts::default() };
        let taken = systems::insert(tx, project, &duplicate).await;
        assert!(matches!(taken, Err(StoreError::Duplicate)), "{taken:?}");
        // PostgreSQL ends a transaction after a duplicate.
        Err::<(), _>(StoreError::Timeout)
    })
    .await
    .unwrap_err();
}

#[both_databases]
async fn dependencies_go_both_ways_and_stay_in_their_project(db: TestDb) {
    let place = Place::new(&db).await;
    let (project, [a, b, c]) = filled(&db, &place, "P").await;
    let (other, [foreign, ..]) = filled(&db, &place, "Q").await;
    write(&db, place.world.workspace, async |tx: &mut WriteTx| {
        let graph = dependencies::graph(tx, project).await?;
        assert_eq!((graph.nodes().len(), graph.edges().len()), (3, 2));
        let sources = dependencies::sources(tx, project, b.row.id).await?;
        let sources: Vec<_> = sources.iter().map(|end| (end.slug.as_str(), end.kind)).collect();
        assert_eq!(sources, [("a", DependencyType::Requires), ("c", DependencyType::Enhances)]);
        assert_eq!(dependencies::targets(tx, project, a.row.id).await?[0].id, b.row.id);
        assert!(!dependencies::remove(tx, other, a.row.id, b.row.id).await?);
        assert!(dependencies::remove(tx, project, a.row.id, b.row.id).await?);
        assert!(!dependencies::remove(tx, project, a.row.id, b.row.id).await?);
        Ok::<_, StoreError>(())
    })
    .await
    .unwrap();
    for (source, target) in [(a.row.id, foreign.row.id), (c.row.id, c.row.id)] {
        let edge = [DependencyRow { source_id: source, target_id: target, kind: DependencyType::Optional }];
        let refused = write(&db, place.world.workspace, async |tx: &mut WriteTx| {
            dependencies::insert(tx, project, &edge).await
        });
        assert!(matches!(refused.await, Err(StoreError::Statement(_))));
    }
}

#[both_databases]
async fn plans_are_finalized_once(db: TestDb) {
    let place = Place::new(&db).await;
    let (project, [a, b, _]) = filled(&db, &place, "P").await;
    let mut plan = place.plan("v1");
    write(&db, place.world.workspace, async |tx: &mut WriteTx| {
        plans::insert(tx, project, &plan, &[a.row.id, b.row.id]).await?;
        assert_eq!(plans::systems(tx, project, plan.id).await?.len(), 2);
        assert_eq!(plans::of_system(tx, project, a.row.id).await?[0].version_label, "v1");
        plan.status = PlanStatus::Finalized;
        plan.snapshot = Some(r#"{"phases":[["ä"]]}"#.into());
        plan.sha256 = Some("00".into());
        plan.finalized_by = Some(place.world.owner);
        plan.finalized_at = Some(NOW);
        assert!(plans::finalize(tx, project, &plan).await?);
        assert!(!plans::finalize(tx, project, &plan).await?);
        let read = plans::by_label(tx, project, "V1").await?.unwrap();
        assert_eq!(format!("{read:?}"), format!("{plan:?}"));
        assert_eq!(
            plans::list(tx, project, Some(PlanStatus::Finalized), Cursor::START, 9).await?[0].snapshot,
            None
        );
        assert_eq!(plans::labels(tx, project).await?, ["v1"]);
        let phases = plans::phases(tx, project, plan.id).await?;
        assert_eq!((&*phases, plans::snapshot_bytes(tx, project).await?), (r#"[["ä"]]"#, 19));
        plans::delete(tx, project, plan.id).await?;
        assert!(plans::get(tx, project, plan.id).await?.is_none());
        Ok::<_, StoreError>(())
    })
    .await
    .unwrap();
}

#[both_databases]
async fn messages_by_others_are_unread_until_they_are_marked(db: TestDb) {
    let place = Place::new(&db).await;
    let (project, _) = filled(&db, &place, "P").await;
    let (me, you) = (place.world.owner, place.world.viewer);
    let thread = ThreadRow {
        id: place.id(),
        title: None,
        message_count: 1,
        last_message_at: NOW,
        brainstorm_id: None,
        created_by: you,
        created_at: NOW,
    };
    write(&db, place.world.workspace, async |tx: &mut WriteTx| {
        threads::insert(tx, project, &thread).await?;
        let first = place.message(you, NOW);
        threads::insert_message(tx, project, thread.id, &first).await?;
        let second = place.message(you, NOW.plus_seconds(1));
        let own = MessageRow { parent_id: Some(first.id), ..place.message(me, NOW.plus_seconds(2)) };
        assert!(threads::post(tx, project, thread.id, &second, 3).await?);
        assert!(threads::post(tx, project, thread.id, &own, 3).await?);
        assert!(!threads::post(tx, project, thread.id, &place.message(me, NOW), 3).await?);
        let unread = async |tx: &mut WriteTx, reader| {
            let listed = threads::list(tx, project, reader, Cursor::START, 9).await?;
            Ok::<_, StoreError>((listed[0].unread, listed[0].row.message_count))
        };
        assert_eq!((unread(tx, me).await?, unread(tx, you).await?), ((2, 3), (1, 3)));
        threads::mark_read(tx, project, thread.id, me, second.position()).await?;
        threads::mark_read(tx, project, thread.id, me, first.position()).await?;
        assert_eq!((unread(tx, me).await?, unread(tx, you).await?), ((0, 3), (1, 3)));
        let last = threads::message(tx, project, thread.id, None).await?.unwrap();
        assert_eq!(format!("{last:?}"), format!("{own:?}"));
        assert_eq!(threads::message(tx, project, thread.id, Some(first.id)).await?.unwrap().id, first.id);
        let page = threads::messages(tx, project, thread.id, threads::FIRST, 2).await?;
        assert_eq!([page[0].id, page[1].id], [first.id, second.id]);
        let page = threads::messages(tx, project, thread.id, page[1].position(), 2).await?;
        assert_eq!((page.len(), page[0].id), (1, own.id));
        Ok::<_, StoreError>(())
    })
    .await
    .unwrap();
}

/// Inserts a brainstorm, a plan, a thread, an export and a change, each a second after the one before.
async fn busy(tx: &mut WriteTx, place: &Place, project: Id, system: &System) -> Result<Id, StoreError> {
    let at = |seconds| NOW.plus_seconds(seconds);
    let by = place.world.owner;
    let row = BrainstormRow {
        id: place.id(),
        title: "storm".into(),
        author: Some("Ada".into()),
        source: BrainstormSource::IdeaStream,
        tags: vec!["x".into()],
        bytes: 3,
        created_by: by,
        created_at: at(1),
    };
    let brainstorm = Brainstorm { row, content: "abc".into() };
    brainstorms::insert(tx, project, &brainstorm).await?;
    let read = brainstorms::get(tx, project, brainstorm.row.id).await?;
    assert_eq!(format!("{:?}", read.unwrap()), format!("{brainstorm:?}"));
    plans::insert(tx, project, &PlanRow { created_at: at(2), ..place.plan("v1") }, &[system.row.id]).await?;
    let thread = ThreadRow {
        id: place.id(),
        title: Some("thread".into()),
        message_count: 0,
        last_message_at: at(3),
        brainstorm_id: None,
        created_by: by,
        created_at: at(3),
    };
    threads::insert(tx, project, &thread).await?;
    threads::set_brainstorm(tx, project, thread.id, brainstorm.row.id).await?;
    let export = ExportRow {
        id: place.id(),
        kind: ExportType::Gdd,
        format: ExportFormat::Markdown,
        title: "design".into(),
        bytes: 4,
        created_by: by,
        created_at: at(4),
    };
    exports::insert(tx, project, &export, "text").await?;
    let read = exports::get(tx, project, export.id).await?;
    assert_eq!(format!("{:?}", read.unwrap()), format!("{export:?}"));
    assert_eq!(exports::content(tx, project, export.id).await?.unwrap(), "text");
    let change = ChangeRow {
        kind: ChangeKind::Updated,
        summary: Some("s".into()),
        fields: vec!["name".into()],
        changed_by: by,
        changed_at: at(5),
        id: place.id(),
        system_id: system.row.id,
        system_name: "A".into(),
    };
    systems::insert_change(tx, project, &change).await?;
    let read = systems::changes(tx, project, system.row.id, 20).await?;
    assert_eq!(format!("{read:?}"), format!("{:?}", [&change]));
    Ok(brainstorm.row.id)
}

#[both_databases]
async fn a_project_is_counted_shown_and_deleted_whole(db: TestDb) {
    let place = Place::new(&db).await;
    let (project, [a, ..]) = filled(&db, &place, "P").await;
    let (other, _) = filled(&db, &place, "Q").await;
    write(&db, place.world.workspace, async |tx: &mut WriteTx| {
        let brainstorm = busy(tx, &place, project, &a).await?;
        let counts = projects::counts(tx, project).await?;
        let expected = Counts {
            systems: 3,
            dependencies: 2,
            brainstorms: 1,
            plans: 1,
            threads: 1,
            exports: 1,
            brainstorm_bytes: 3,
            export_bytes: 4,
        };
        assert_eq!(counts, expected);
        let all = activity::list(tx, project, Cursor::START, 9).await?;
        let kinds: Vec<_> =
            all.iter().map(|row| (row.kind.as_str(), row.title.as_deref().unwrap())).collect();
        let expected = [
            ("system_updated", "A"),
            ("export_created", "design"),
            ("thread_created", "thread"),
            ("plan_created", "v1"),
            ("brainstorm_created", "storm"),
        ];
        assert_eq!(kinds, expected);
        let cursor = Cursor { at: all[1].at, id: all[1].id };
        assert_eq!(activity::list(tx, project, cursor, 1).await?[0].kind, "thread_created");
        assert!(brainstorms::delete(tx, project, brainstorm).await?);
        assert!(!brainstorms::delete(tx, project, brainstorm).await?);
        projects::delete(tx, project).await?;
        assert_eq!(projects::counts(tx, project).await?, Counts::default());
        assert_eq!((projects::counts(tx, other).await?.systems, projects::names(tx).await?.len()), (3, 1));
        Ok::<_, StoreError>(())
    })
    .await
    .unwrap();
}

#[both_databases]
async fn another_workspace_sees_nothing(db: TestDb) {
    let place = Place::new(&db).await;
    let stranger = seed_named(&db, &clock(), &place.ids, "other-").await;
    let (project, [a, ..]) = filled(&db, &place, "P").await;
    let mut tx = db.read(stranger.workspace).await.unwrap();
    assert!(projects::get(&mut tx, project).await.unwrap().is_none());
    assert!(systems::whole(&mut tx, project, &[a.row.id]).await.unwrap().is_empty());
    assert!(dependencies::graph(&mut tx, project).await.unwrap().nodes().is_empty());
    assert_eq!(projects::counts(&mut tx, project).await.unwrap(), Counts::default());
    tx.end().await.unwrap();
}
