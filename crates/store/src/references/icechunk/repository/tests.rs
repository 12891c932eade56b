use super::super::record::FieldType;
use super::*;

fn added(id: u8, at: u64) -> Added<'static> {
    Added {
        id: ObjectId([id; 12]),
        flushed_at: at,
        message: "m",
    }
}

#[test]
fn snapshots_are_added_in_the_order_of_ids() {
    let mut all = Repository::new(&added(5, 100), vec![1]);
    for (id, parent) in [(7, 5), (3, 7), (6, 3), (4, 6)] {
        assert_eq!(all.branch("main"), Some(ObjectId([parent; 12])));
        let at = all.time_of_update(100);
        all.add("main", &added(id, 100), at, Some(&format!("repo.{id}")));
    }
    let found = Repository::parse(&all.flatbuffer()).unwrap();
    assert_eq!(found.root.number(field::SPECIFICATION), 2);
    let snapshots = found.root.records(field::SNAPSHOTS);
    let told = snapshots
        .iter()
        .map(|one| (one.number(0) as u8, number_in(one, 1)));
    // 3, 4, 5, 6, 7 with the parents 7, 6, none, 3, 5.
    let expected = [(3, Some(4)), (4, Some(3)), (5, None), (6, Some(0)), (7, Some(2))];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!(found.branch("main"), Some(ObjectId([4; 12])));
    let updates = found.root.records(field::UPDATES);
    let told = updates
        .iter()
        .map(|one| (one.number(0), one.number(2), one.text(3)));
    let expected = [
        (10, 104, None),
        (10, 103, Some("repo.4")),
        (10, 102, Some("repo.6")),
        (10, 101, Some("repo.3")),
        (1, 100, Some("repo.7")),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!(found.settings(), Some(&[1][..]));
    found.check_growing().unwrap();
}

#[test]
fn a_branch_that_was_set_back_moves_to_a_snapshot_that_is_there() {
    let id = |n| ObjectId([n; 12]);
    let mut all = Repository::new(&added(5, 100), Vec::new());
    all.add("main", &added(7, 100), 101, None);
    all.set_branch("dev", id(5));
    all.set_branch("main", id(5));
    assert!(!all.leads_to("main", id(7)));
    all.add("main", &added(7, 100), 102, None);
    assert_eq!(all.ids(), [id(5), id(7)]);
    assert_eq!(all.branch("main"), Some(id(7)));
    let last = &all.root.records(field::UPDATES)[0];
    assert_eq!(
        (last.number(0), last.records(1)[0].bytes(1)),
        (9, Some(&[5; 12][..]))
    );
    // What another branch leads to says nothing.
    assert!(all.leads_to("main", id(7)) && all.leads_to("main", id(5)));
    assert!(all.leads_to("dev", id(5)) && !all.leads_to("dev", id(7)) && !all.leads_to("no", id(5)));
    // Parents in a circle.
    let mut snapshots = all.root.take_records(field::SNAPSHOTS);
    snapshots[0].set(1, Value::plain([1, 0, 0, 0]));
    all.root.set(field::SNAPSHOTS, Value::Records(snapshots));
    assert!(!all.leads_to("main", id(9)));
}

#[test]
fn old_updates_stay_in_the_file_that_was_replaced() {
    let mut all = Repository::new(&added(0, 0), Vec::new());
    for n in 1..=MOST_UPDATES + 5 {
        let mut id = [0; 12];
        id[..8].copy_from_slice(&(n as u64).to_be_bytes());
        let added = Added {
            id: ObjectId(id),
            ..added(0, n as u64)
        };
        all.add("main", &added, n as u64, Some(&format!("repo.{n}")));
    }
    assert_eq!(all.root.records(field::UPDATES).len(), MOST_UPDATES);
    // The last update that is told is number 6. The file that number 6 replaced ends with number 5.
    assert_eq!(all.root.text(field::OLDER_UPDATES), Some("repo.6"));
    assert_eq!(all.root.records(field::UPDATES)[MOST_UPDATES - 1].number(2), 6);
}

/// Other writers share empty lists and messages among snapshots.
#[test]
fn many_snapshots_are_read() {
    let mut all = Repository::new(&added(0, 0), Vec::new());
    let short = |n: u32| {
        let id = [[0; 8].as_slice(), &n.to_be_bytes()].concat();
        Record::default()
            .with(0, Value::Bytes(id))
            .with(1, Value::plain(n.to_le_bytes()))
            .with(2, Value::plain([1; 8]))
            .with(3, Value::text(""))
    };
    let snapshots: Vec<Record> = (0..20_000).map(short).collect();
    all.root.set(field::SNAPSHOTS, Value::Records(snapshots));
    let found = Repository::parse(&all.flatbuffer()).unwrap();
    assert_eq!(found.ids().len(), 20_000);
}

#[test]
fn what_is_not_known_is_not_lost() {
    let all = Repository::new(&added(0, 0), Vec::new());
    let mut buffer = FlatBuffer::new();
    let record = all.root.clone().with(13, Value::Bytes(vec![1]));
    let types = [ROOT, &[FieldType::Elements(1)]].concat();
    record.write(&mut buffer, None, &types);
    let found = Repository::parse(&buffer.finish()).unwrap();
    assert!(found.branch("main").is_some());
    assert!(found.check_growing().unwrap_err().contains("a later version"));
}
