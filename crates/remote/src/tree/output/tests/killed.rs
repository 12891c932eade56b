//! Runs that are killed, or lose their claim, at any request.

use super::*;

#[test]
fn a_killed_run_leaves_nothing_that_opens() {
    let mut seen = [0; 3];
    for n in 0.. {
        let store = FaultyStore::new(Arc::default(), Fault::From(n));
        let done = write(&store, false, 1);
        let found = opened(&store.inner);
        match (&done, &found) {
            (_, Some(found)) => assert_eq!(*found, whole(1), "{n}"),
            (Ok(()), None) => panic!("{n}"),
            (Err(_), None) => {}
        }
        let again = write(&healthy(&store.inner), false, 1);
        match (contents(&store.inner).len(), again) {
            (13, Ok(())) => seen[0] += 1,
            (_, Err(e)) if found.is_none() => {
                assert!(e.to_string().contains(".ncutils-partial"), "{n}: {e}");
                seen[1] += 1;
            }
            (_, Err(_)) => seen[2] += 1,
            (count, Ok(())) => panic!("{n}: {count} objects"),
        }
        write(&healthy(&store.inner), true, 1).unwrap();
        assert_eq!(contents(&store.inner), whole(1), "{n}");
        if done.is_ok() {
            break;
        }
    }
    assert!(seen[0] >= 2 && seen[1] > 20 && seen[2] >= 1, "{seen:?}");
}

#[test]
fn a_killed_replacement_leaves_the_old_or_is_ended_by_the_next() {
    let mut seen = [0; 3];
    for n in 0.. {
        let inner = Arc::default();
        write(&healthy(&inner), false, 1).unwrap();
        let store = FaultyStore::new(Arc::clone(&inner), Fault::From(n));
        let done = write(&store, true, 2);
        match opened(&inner) {
            Some(found) if found == whole(1) => seen[0] += 1,
            Some(found) => {
                assert_eq!(found, whole(2), "{n}");
                // Whatever stays beside it, the dataset is replaced.
                done.unwrap();
                seen[2] += 1;
            }
            None => {
                seen[1] += 1;
                assert!(contents(&inner).contains_key("t/x.zarr/.ncutils-partial"));
                let refused = write(&healthy(&inner), false, 2).unwrap_err().to_string();
                assert!(refused.contains("the same command again ends it"), "{refused}");
                // The next run ends the switch before it does anything else.
                drop(claim(&healthy(&inner), true).unwrap());
                assert_eq!(contents(&inner), whole(2), "{n}");
            }
        }
        write(&healthy(&inner), true, 2).unwrap();
        assert_eq!(contents(&inner), whole(2), "{n}");
        if store.requests() <= n {
            break;
        }
    }
    assert!(seen[0] > 20 && seen[1] > 30 && seen[2] > 5, "{seen:?}");
}

#[test]
fn a_switch_that_is_killed_again_and_again_ends() {
    // How many requests the switch takes, from the mark on.
    for step in [1, 3, 7] {
        let inner = Arc::default();
        write(&healthy(&inner), false, 1).unwrap();
        let counted = healthy(&Arc::new(InMemory::new()));
        write(&counted, false, 1).unwrap();
        let before = counted.requests();
        write(&counted, true, 2).unwrap();
        let log = counted.log.lock().unwrap().clone();
        let marked = log[before..]
            .iter()
            .position(|line| line == "put t/x.zarr/.ncutils-partial")
            .unwrap();
        assert!(
            write(
                &FaultyStore::new(Arc::clone(&inner), Fault::From(marked + 2 + step)),
                true,
                2
            )
            .is_err()
        );
        assert!(opened(&inner).is_none());
        for requests in 1..60 {
            let store = FaultyStore::new(Arc::clone(&inner), Fault::From(requests));
            let _ = write(&store, true, 2);
            if let Some(found) = opened(&inner) {
                assert_eq!(found, whole(2), "{requests}");
            }
        }
        write(&healthy(&inner), true, 2).unwrap();
        assert_eq!(contents(&inner), whole(2));
    }
}

#[test]
fn who_lost_a_switch_deletes_nothing() {
    let inner = Arc::default();
    write(&healthy(&inner), false, 1).unwrap();
    let store = healthy(&inner);
    let output = claim(&store, true).unwrap();
    let tree = &output.tree;
    // Up to the mark of the switch. Then another run takes it over.
    let (values, metadata) = dataset(2);
    for (folder, all) in [(tree.claim.values(), values), (tree.claim.metadata(), metadata)] {
        for (key, value) in all {
            tree.objects
                .send(&format!("{folder}{key}"), &key, &value)
                .unwrap();
        }
    }
    tree.objects.sending.wait().unwrap();
    let mark = begin(&tree.objects, &tree.claim.name).unwrap();
    let (_, seen) = get_mark(&tree.objects, PARTIAL).unwrap().unwrap();
    let other = Mark {
        by: new_run(),
        ..mark.clone()
    };
    let mode = object_store::PutMode::Update(seen.clone());
    assert!(
        tree.objects
            .put_mark(PARTIAL, other.text().as_bytes(), mode)
            .unwrap()
    );
    let before = contents(&inner);
    let error = switch(&tree.objects, &mark).unwrap_err().to_string();
    assert!(error.contains("took over"), "{error}");
    assert_eq!(contents(&inner), before);
    // The other one took it from what it saw first, which is no longer there.
    let error = take_over(&tree.objects, mark, seen).unwrap_err().to_string();
    assert!(error.contains("took over"), "{error}");
    // Nor does it take the other's mark back, or delete what the other copies.
    tree.unmark();
    assert_eq!(contents(&inner), before);
    switch(&tree.objects, &other).unwrap();
    assert_eq!(opened(&inner), Some(whole(2)));
}

#[test]
fn who_replaced_a_dataset_leaves_the_mark_of_the_next_run() {
    let inner = Arc::default();
    write(&healthy(&inner), false, 1).unwrap();
    let store = healthy(&inner);
    let output = claim(&store, true).unwrap();
    let objects = &output.tree.objects;
    let next = claim(&store, true).unwrap();
    tidy(objects, &output.tree.claim.name, false).unwrap();
    fill(&next, 2).unwrap();
    assert_eq!(contents(&inner), whole(2));
}
