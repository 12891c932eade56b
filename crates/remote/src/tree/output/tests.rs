mod killed;

use std::sync::atomic::Ordering;

use super::*;
use crate::tests::faulty_store::{Fault, FaultyStore, contents};
use crate::tree::mark::{BUILDING, Mark};
use crate::tree::switch::take_over;
use crate::write::PartSizes;
use ncutils_store::FailedKey;
use ncutils_store::new_run;
use object_store::memory::InMemory;

const SMALL: PartSizes = PartSizes {
    least: 100,
    usual: 100,
    unit: 1,
    most: 100,
};

type Values = BTreeMap<String, Vec<u8>>;

/// The dataset of a number. Two of them have keys in common, and keys of their own.
fn dataset(number: u8) -> (Values, Values) {
    let value = |key: &str, length: usize| (key.to_owned(), vec![number; length]);
    let own = format!("own{number}");
    let values = [
        value("a/0.0", 10),
        value("a/0.1", 0),
        value(&format!("a/{number}.0"), 30),
        value("g/b/0", 350),
        value(&format!("{own}/0"), 5),
    ];
    let metadata = [
        value(".zgroup", 3),
        value(".zattrs", 3),
        value(".zmetadata", 9),
        value("a/.zarray", 3),
        value("a/.zattrs", 3),
        value("g/.zgroup", 3),
        value("g/b/.zarray", 3),
        value(&format!("{own}/.zarray"), 3),
    ];
    (values.into(), metadata.into())
}

fn whole(number: u8) -> Values {
    let (mut values, metadata) = dataset(number);
    values.extend(metadata);
    values
        .into_iter()
        .map(|(key, value)| (format!("t/x.zarr/{key}"), value))
        .collect()
}

fn check(what: Replaced, keys: &[String]) -> io::Result<()> {
    let is_it = match what {
        Replaced::Dataset => keys.iter().any(|key| key == ".zgroup"),
        Replaced::Leftovers => !keys.iter().any(|key| key.ends_with(".pdf")),
    };
    match is_it {
        true => Ok(()),
        false => Err(io::Error::other("no dataset")),
    }
}

fn objects(session: Arc<Session>, prefix: &str, memory: u64) -> TreeObjects {
    TreeObjects {
        sizes: SMALL,
        ..TreeObjects::new(session, prefix, memory)
    }
}

fn claim(store: &Arc<FaultyStore>, replaces: bool) -> Result<TreeOutput, NotClaimed> {
    let session = Session::over(store.clone(), "s3://test");
    let replaces: Option<KeysCheck<'_>> = if replaces { Some(&check) } else { None };
    TreeOutput::of_objects(objects(session, "t/x.zarr", 1 << 20), replaces)
}

/// Writes the dataset of a number as a writer of Zarr does.
fn fill(output: &TreeOutput, number: u8) -> io::Result<()> {
    let (values, metadata) = dataset(number);
    for (key, value) in &values {
        if value.len() < 100 {
            output.put(key, value)?;
            continue;
        }
        let shard = output.create(key)?;
        let end = value.len() - 50;
        shard.write_at(50, &value[50..end])?;
        shard.set_size(value.len() as u64)?;
        shard.write_at(end as u64, &value[end..])?;
        shard.write_at(0, &value[..50])?;
        shard.finish()?;
    }
    for (key, value) in &metadata {
        output.put_last(key, value)?;
    }
    output.publish()
}

fn write(store: &Arc<FaultyStore>, replaces: bool, number: u8) -> io::Result<()> {
    match claim(store, replaces) {
        Ok(output) => fill(&output, number),
        Err(NotClaimed::Failed(e)) => Err(e),
        Err(NotClaimed::Taken(why) | NotClaimed::Refused(why)) => Err(io::Error::other(why)),
    }
}

/// What a reader finds: nothing if there is a mark, or no root.
fn opened(store: &InMemory) -> Option<Values> {
    let mut all = contents(store);
    let opens = !all.contains_key("t/x.zarr/.ncutils-partial") && all.contains_key("t/x.zarr/.zgroup");
    all.retain(|key, _| !key.contains(".ncutils-partial"));
    opens.then_some(all)
}

fn healthy(inner: &Arc<InMemory>) -> Arc<FaultyStore> {
    FaultyStore::new(Arc::clone(inner), Fault::Never)
}

#[test]
fn metadata_follows_all_values_and_the_root_is_last() {
    let store = healthy(&Arc::default());
    write(&store, false, 1).unwrap();
    assert_eq!(contents(&store.inner), whole(1));
    let log = store.log.lock().unwrap().clone();
    let at = |what: &str| {
        log.iter()
            .position(|line| line == what)
            .unwrap_or_else(|| panic!("{what}: {log:?}"))
    };
    let key = |key: &str| at(&format!("put t/x.zarr/{key}"));
    let values = ["a/0.0", "a/0.1", "a/1.0", "own1/0"].map(key);
    let last = values
        .into_iter()
        .chain([at("complete t/x.zarr/g/b/0")])
        .max()
        .unwrap();
    assert!(key(".ncutils-partial") < *values.iter().min().unwrap());
    for array in ["a/.zarray", "a/.zattrs", "g/b/.zarray", "own1/.zarray"] {
        assert!(last < key(array) && key(array) < key("g/.zgroup"));
    }
    assert!(key("g/.zgroup") < key(".zattrs"));
    assert!(key(".zattrs") < key(".zgroup") && key(".zgroup") < key(".zmetadata"));
    let last = log.iter().rfind(|line| !line.starts_with("get "));
    assert_eq!(last.unwrap(), "delete t/x.zarr/.ncutils-partial");
    assert_eq!(store.logged("part").len(), 4);
}

#[test]
fn what_is_there_is_not_touched() {
    let store = healthy(&Arc::default());
    write(&store, false, 1).unwrap();
    let Err(NotClaimed::Taken(why)) = claim(&store, false) else {
        panic!("a taken prefix was claimed")
    };
    assert_eq!(why, "13 objects lie below this prefix, such as \".zattrs\"");
    let other = healthy(&Arc::default());
    let output = claim(&other, false).unwrap();
    output.put("a", b"x").unwrap();
    output.tree.objects.sending.wait().unwrap();
    let Err(NotClaimed::Taken(why)) = claim(&other, false) else {
        panic!("a prefix was claimed twice")
    };
    assert!(why.contains("has left .ncutils-partial and 1 object"), "{why}");
    drop(output);
    assert!(
        contents(&other.inner).is_empty(),
        "what is dropped leaves nothing"
    );
    let stranger = healthy(&Arc::default());
    let session = Session::over(stranger.clone(), "s3://test");
    let photos = TreeOutput::create(session, "t", 1000, None).unwrap();
    photos.put("x.zarr/photo", b"x").unwrap();
    photos.publish().unwrap();
    assert!(matches!(claim(&stranger, true), Err(NotClaimed::Refused(_))));
    assert_eq!(contents(&stranger.inner).len(), 1);
    // A mark alone does not say that all that is there was written by one run.
    let marked = healthy(&Arc::default());
    let session = Session::over(marked.clone(), "s3://test");
    let others = TreeOutput::create(session, "t", 1000, None).unwrap();
    others.put("x.zarr/report.pdf", b"x").unwrap();
    others.put("x.zarr/.ncutils-partial", b"x").unwrap();
    others.publish().unwrap();
    assert!(matches!(claim(&marked, true), Err(NotClaimed::Refused(_))));
    assert_eq!(contents(&marked.inner).len(), 2);
}

#[test]
fn a_dataset_is_replaced_as_a_whole() {
    let store = healthy(&Arc::default());
    write(&store, false, 1).unwrap();
    let output = claim(&store, true).unwrap();
    let (values, _) = dataset(2);
    for (key, value) in &values {
        output.put(key, value).unwrap();
    }
    assert_eq!(output.staged("a/0.0").unwrap().unwrap(), values["a/0.0"]);
    assert_eq!(
        output.staged_keys("").unwrap(),
        values.keys().cloned().collect::<Vec<_>>()
    );
    assert_eq!(opened(&store.inner).unwrap(), whole(1));
    drop(output);
    assert_eq!(
        contents(&store.inner),
        whole(1),
        "what is dropped leaves the old one alone"
    );
    write(&store, true, 2).unwrap();
    assert_eq!(contents(&store.inner), whole(2));
    write(&store, true, 2).unwrap();
    assert_eq!(contents(&store.inner), whole(2));
}

#[test]
fn a_run_that_fails_cleans_up() {
    let mut left = 0;
    for replaces in [false, true] {
        for n in 0.. {
            let inner = Arc::default();
            if replaces {
                write(&healthy(&inner), false, 1).unwrap();
            }
            let store = FaultyStore::new(Arc::clone(&inner), Fault::Fails(n));
            let done = write(&store, replaces, 2);
            let found = contents(&inner);
            assert_eq!(store.uploads.load(Ordering::Relaxed), 0, "{n}");
            match (done, opened(&inner)) {
                (Ok(()), _) => {
                    assert_eq!(found, whole(2), "{n}");
                    break;
                }
                (Err(_), Some(dataset)) if dataset == whole(2) => {}
                (Err(_), Some(_)) => assert_eq!(found, whole(1), "{n}"),
                (Err(_), None) if replaces => {
                    // It failed in the switch.
                    left += 1;
                    write(&healthy(&inner), true, 2).unwrap();
                    assert_eq!(contents(&inner), whole(2), "{n}");
                }
                (Err(e), None) => assert!(found.is_empty(), "{n}: {e}: {:?}", found.keys()),
            }
        }
    }
    assert!(left > 10, "{left}");
}

#[test]
fn a_request_that_fails_once_changes_nothing() {
    for replaces in [false, true] {
        for lost in [false, true] {
            let mut n = 0;
            loop {
                let inner = Arc::default();
                if replaces {
                    write(&healthy(&inner), false, 1).unwrap();
                }
                let fault = if lost {
                    Fault::LostAnswer(n)
                } else {
                    Fault::Once(n)
                };
                let store = FaultyStore::new(Arc::clone(&inner), fault);
                write(&store, replaces, 2).unwrap_or_else(|e| panic!("{fault:?}: {e}"));
                assert_eq!(contents(&inner), whole(2), "{fault:?}");
                if store.requests() <= n {
                    break;
                }
                n += 1;
            }
        }
    }
}

#[test]
fn many_values_survive_a_bad_network() {
    let store = FaultyStore::new(Arc::default(), Fault::OneIn(20));
    let session = Session::over(store.clone(), "s3://test");
    let output = TreeOutput::of_objects(objects(session, "t", 20_000), None).unwrap();
    for n in 0..2000u32 {
        output
            .put(&format!("a/{n}"), &n.to_le_bytes().repeat(n as usize % 100))
            .unwrap();
        assert!(output.tree.objects.sending.held() <= 20_000);
    }
    output.put_last(".zgroup", b"{}").unwrap();
    output.publish().unwrap();
    let found = contents(&store.inner);
    assert_eq!(found.len(), 2001);
    for n in 0..2000u32 {
        assert_eq!(
            found[&format!("t/a/{n}")],
            n.to_le_bytes().repeat(n as usize % 100)
        );
    }
}

#[test]
fn of_two_writers_one_succeeds() {
    for replaces in [false, true] {
        for round in 0..20 {
            let inner = Arc::default();
            let mut done = Vec::new();
            std::thread::scope(|scope| {
                let threads: Vec<_> = [1, 2]
                    .map(|number| {
                        let store = healthy(&inner);
                        scope.spawn(move || {
                            (number, write(&store, replaces && round % 2 == 0, number).is_ok())
                        })
                    })
                    .into();
                done = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            });
            let winners: Vec<u8> = done
                .iter()
                .filter(|(_, won)| *won)
                .map(|(number, _)| *number)
                .collect();
            if replaces && round % 2 == 0 {
                // Replacing is told to take over; what opens is one of the two.
                if let Some(found) = opened(&inner) {
                    assert!(
                        found
                            .keys()
                            .all(|key| whole(1).contains_key(key) || whole(2).contains_key(key))
                    );
                }
                continue;
            }
            assert!(winners.len() <= 1, "{winners:?}");
            match winners.first() {
                Some(number) => assert_eq!(contents(&inner), whole(*number)),
                None => assert!(contents(&inner).is_empty()),
            }
        }
    }
}

#[test]
fn who_lost_the_claim_neither_publishes_nor_deletes() {
    let store = healthy(&Arc::default());
    let first = claim(&store, false).unwrap();
    first.put("a/7.7", b"x").unwrap();
    first.tree.objects.sending.wait().unwrap();
    let second = claim(&store, true).unwrap();
    assert_eq!(contents(&store.inner).len(), 1, "leftovers are cleared");
    let error = first.publish().unwrap_err().to_string();
    assert!(error.contains("another run took over"), "{error}");
    fill(&second, 2).unwrap();
    drop(first);
    assert_eq!(contents(&store.inner), whole(2));

    // The same beside an older dataset.
    let first = claim(&store, true).unwrap();
    let second = claim(&store, true).unwrap();
    first.put("a/0.0", b"lost").unwrap();
    assert!(first.publish().is_err());
    drop(first);
    fill(&second, 1).unwrap();
    let found = opened(&store.inner).unwrap();
    assert_eq!(found, whole(1));
    assert!(!contents(&store.inner).contains_key(&format!("t/x.zarr/{BUILDING}")));
}

#[test]
fn an_upload_that_begins_late_holds_up_no_other_value() {
    let store = FaultyStore::new(Arc::default(), Fault::BeginsLate);
    let output = claim(&store, false).unwrap();
    std::thread::scope(|scope| {
        let late = output.create("late").unwrap();
        let writer = scope.spawn(move || late.write_at(0, &[1; 150]).and_then(|()| late.finish()));
        while store.logged("begin").is_empty() {
            std::thread::yield_now();
        }
        let (done, is_done) = std::sync::mpsc::channel();
        let output = &output;
        scope.spawn(move || {
            let other = output.create("other").unwrap();
            other.write_at(0, &[2; 50]).unwrap();
            other.finish().unwrap();
            done.send(()).unwrap();
        });
        let in_time = is_done.recv_timeout(std::time::Duration::from_secs(10));
        store.go_on();
        writer.join().unwrap().unwrap();
        in_time.expect("the other value waits for the late one");
    });
    output.publish().unwrap();
    assert_eq!(contents(&store.inner)["t/x.zarr/late"].len(), 150);
}

#[test]
fn what_cannot_be_deleted_keeps_its_mark() {
    let store = FaultyStore::new(Arc::default(), Fault::Keeps("t/x.zarr/a/0.0"));
    let output = claim(&store, false).unwrap();
    output.put("a/0.0", b"x").unwrap();
    output.put("a/0.1", b"x").unwrap();
    output.tree.objects.sending.wait().unwrap();
    let error = output.abandon().unwrap_err().to_string();
    assert!(error.contains("cannot delete a/0.0"), "{error}");
    let left: Vec<String> = contents(&store.inner).into_keys().collect();
    assert_eq!(left, ["t/x.zarr/.ncutils-partial", "t/x.zarr/a/0.0"]);
}

#[test]
fn who_loses_the_claim_while_it_cleans_up_deletes_nothing() {
    let store = healthy(&Arc::default());
    let output = claim(&store, false).unwrap();
    output.put("a/0.0", b"x").unwrap();
    output.tree.objects.sending.wait().unwrap();
    let fault = Fault::ReplacedAfterList("t/x.zarr/.ncutils-partial");
    let taken = FaultyStore::new(Arc::clone(&store.inner), fault);
    let session = Session::over(taken, "s3://test");
    let error = output
        .claim()
        .undo(&objects(session, "t/x.zarr", 1 << 20))
        .unwrap_err();
    assert!(error.to_string().contains("another run took over"), "{error}");
    drop(output);
    let found = contents(&store.inner);
    assert_eq!(found["t/x.zarr/.ncutils-partial"], b"newer");
    assert_eq!(found["t/x.zarr/a/0.0"], b"x");
}

#[test]
fn a_failure_names_the_key_that_failed() {
    let store = FaultyStore::new(Arc::default(), Fault::Fails(4));
    let output = claim(&store, false).unwrap_or_else(|e| panic!("{e:?}"));
    let failed = (0..1000).find_map(|n| {
        let failed = output.put(&format!("a/{n}"), b"x").err();
        let _ = output.tree.objects.sending.wait();
        failed
    });
    let (key, error) = FailedKey::split(failed.unwrap());
    assert_eq!(key.as_deref(), Some("a/0"));
    assert_eq!(error.to_string(), "killed");
}

#[test]
fn keys_are_checked() {
    let output = claim(&healthy(&Arc::default()), false).unwrap();
    for key in ncutils_store::keys::key::HOSTILE {
        assert!(output.put(key, b"x").is_err(), "{key:?}");
        assert!(output.create(key).is_err(), "{key:?}");
    }
    for key in [
        PARTIAL.to_owned(),
        format!("{PARTIAL}-1/x"),
        vec!["a".repeat(204); 5].join("/"),
    ] {
        assert!(
            output.check(&key).is_err() && output.put_last(&key, b"x").is_err(),
            "{key}"
        );
    }
    output.check("a/%23 #?*~/é\\.0").unwrap();
    output.put("a/%23 #?*~/é\\.0", b"odd").unwrap();
    output.publish().unwrap();
}
