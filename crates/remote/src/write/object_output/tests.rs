use object_store::memory::InMemory;
use object_store::{ObjectStoreExt, PutPayload};

use super::*;
use crate::requests::runtime;
use crate::tests::faulty_store::{Fault, FaultyStore, contents};

const SMALL: PartSizes = PartSizes {
    least: 1000,
    usual: 1000,
    unit: 1,
    most: 100,
};

fn put(store: &InMemory, key: &str, bytes: &[u8]) {
    let path = Path::parse(key).unwrap();
    let put = store.put(&path, PutPayload::from(bytes.to_vec()));
    runtime().unwrap().block_on(put).unwrap();
}

fn output(store: &Arc<FaultyStore>) -> io::Result<ObjectOutput> {
    let session = Session::over(store.clone(), "s3://test");
    ObjectOutput::with_sizes(session, "a/x.nc", 1 << 20, None, SMALL)
}

fn bytes() -> Vec<u8> {
    (0..9500u32).map(|n| (n % 251) as u8).collect()
}

/// Writes as a file of HDF5 is written: the front last.
fn write(output: &ObjectOutput) -> io::Result<()> {
    let bytes = bytes();
    for at in (48..bytes.len()).step_by(700) {
        output.write_all_at(at as u64, &bytes[at..bytes.len().min(at + 700)])?;
    }
    output.set_size(bytes.len() as u64)?;
    output.write_all_at(0, &bytes[..48])?;
    output.commit()
}

#[test]
fn parts_go_up_while_they_are_written() {
    let store = FaultyStore::new(Arc::default(), Fault::Never);
    put(&store.inner, "a/x.nc", b"old");
    let output = output(&store).unwrap();
    let bytes = bytes();
    output.write_all_at(48, &bytes[48..9000]).unwrap();
    output.upload.sending().wait().unwrap();
    assert_eq!(store.logged("part").len(), 8);
    assert_eq!(contents(&store.inner)["a/x.nc"], b"old");
    output.write_all_at(9000, &bytes[9000..]).unwrap();
    output.write_all_at(0, &bytes[..48]).unwrap();
    output.commit().unwrap();
    assert!(output.commit().is_err());
    drop(output);
    assert_eq!(contents(&store.inner)["a/x.nc"], bytes);
    assert_eq!(store.logged("part").len(), 10);
    assert_eq!(store.logged("abort"), [""; 0]);
    assert_eq!(store.requests(), 10 + 3, "HEAD, begin, complete");
}

#[test]
fn a_short_object_is_one_request() {
    for (size, requests) in [(0, 1), (1, 1), (999, 1)] {
        let store = FaultyStore::new(Arc::default(), Fault::Never);
        let output = output(&store).unwrap();
        output.write_all_at(0, &vec![7; size]).unwrap();
        output.commit().unwrap();
        assert_eq!(contents(&store.inner)["a/x.nc"], vec![7; size]);
        assert_eq!(store.requests(), requests, "{size}");
    }
}

#[test]
fn a_short_object_whose_answers_are_lost_is_looked_at() {
    for looks in [true, false] {
        let store = FaultyStore::new(Arc::default(), Fault::LostPuts(looks));
        put(&store.inner, "a/x.nc", b"old");
        let output = output(&store).unwrap();
        output.write_all_at(0, &[7; 500]).unwrap();
        match (looks, output.commit()) {
            (true, committed) => committed.unwrap(),
            (false, committed) => {
                let error = committed.unwrap_err().to_string();
                assert!(
                    error.contains("may have replaced the object all the same"),
                    "{error}"
                );
            }
        }
        assert_eq!(contents(&store.inner)["a/x.nc"], [7; 500]);
        assert_eq!(store.logged("put").len(), if looks { 1 } else { 10 });
    }
    // What is there already is not what was written.
    let store = FaultyStore::new(Arc::default(), Fault::Once(0));
    put(&store.inner, "a/x.nc", &[8; 500]);
    let output = output(&store).unwrap();
    output.write_all_at(0, &[7; 500]).unwrap();
    output.commit().unwrap();
    assert_eq!(contents(&store.inner)["a/x.nc"], [7; 500]);
}

#[test]
fn what_is_dropped_leaves_nothing() {
    let store = FaultyStore::new(Arc::default(), Fault::Never);
    let output = output(&store).unwrap();
    output.write_all_at(0, &bytes()).unwrap();
    drop(output);
    assert!(contents(&store.inner).is_empty());
    assert_eq!(store.uploads.load(std::sync::atomic::Ordering::Relaxed), 0);
    assert_eq!(store.logged("abort").len(), 1);
}

#[test]
fn what_is_read_back_goes_up_at_the_end() {
    let store = FaultyStore::new(Arc::default(), Fault::Never);
    let output = output(&store).unwrap();
    let bytes = bytes();
    output.set_size(bytes.len() as u64).unwrap();
    output.write_all_at(0, &bytes[..10]).unwrap();
    let mut back = [1; 12];
    output.read_back_at(0, &mut back).unwrap();
    assert_eq!(back[..10], bytes[..10]);
    assert_eq!(back[10..], [0; 2]);
    output.write_all_at(0, &[9; 5000]).unwrap();
    output.write_all_at(0, &bytes).unwrap();
    assert_eq!(store.requests(), 0);
    output.commit().unwrap();
    assert_eq!(contents(&store.inner)["a/x.nc"], bytes);
}

#[test]
fn a_request_that_fails_once_changes_nothing() {
    let whole = {
        let store = FaultyStore::new(Arc::default(), Fault::Never);
        write(&output(&store).unwrap()).unwrap();
        store.requests()
    };
    assert_eq!(whole, 13);
    for n in 0..whole {
        for fault in [Fault::Once(n), Fault::LostAnswer(n)] {
            let store = FaultyStore::new(Arc::default(), fault);
            put(&store.inner, "a/x.nc", b"old");
            write(&output(&store).unwrap()).unwrap();
            assert_eq!(contents(&store.inner)["a/x.nc"], bytes(), "{fault:?}");
            assert_eq!(
                store.uploads.load(std::sync::atomic::Ordering::Relaxed),
                0,
                "{fault:?}"
            );
        }
    }
    for n in [3, 10] {
        let store = FaultyStore::new(Arc::default(), Fault::OneIn(n));
        write(&output(&store).unwrap()).unwrap();
        assert_eq!(contents(&store.inner)["a/x.nc"], bytes());
    }
}

#[test]
fn a_killed_writer_leaves_the_old_object() {
    let mut complete = 0;
    for n in 0..20 {
        let store = FaultyStore::new(Arc::default(), Fault::From(n));
        put(&store.inner, "a/x.nc", b"old");
        let written = output(&store).and_then(|output| write(&output));
        let found = contents(&store.inner);
        assert_eq!(found.len(), 1);
        match written {
            Ok(()) => {
                complete += 1;
                assert_eq!(found["a/x.nc"], bytes());
            }
            Err(e) => {
                assert!(e.to_string().contains("killed"), "{e}");
                assert_eq!(found["a/x.nc"], b"old", "{n}");
            }
        }
    }
    assert_eq!(complete, 7);
    let told = ncutils_store::take_remains();
    assert!(
        told.iter()
            .any(|line| line.contains("a/x.nc may stay in s3://test")),
        "{told:?}"
    );
}

#[test]
fn memory_stays_within_the_limit() {
    let store = FaultyStore::new(Arc::default(), Fault::Never);
    let session = Session::over(store.clone(), "s3://test");
    let sizes = PartSizes {
        least: 100_000,
        usual: 100_000,
        ..SMALL
    };
    let output = ObjectOutput::with_sizes(session, "x", 400_000, None, sizes).unwrap();
    let piece = |n: usize| vec![n as u8; 50_000];
    // Each part lacks its second half until the end.
    for n in 0..40 {
        output.write_all_at(n as u64 * 100_000, &piece(n)).unwrap();
        assert!(output.upload.sending().held() <= 400_000);
    }
    for n in 0..40 {
        output
            .write_all_at(n as u64 * 100_000 + 50_000, &piece(n))
            .unwrap();
    }
    output.commit().unwrap();
    let expected: Vec<u8> = (0..40).flat_map(|n| vec![n as u8; 100_000]).collect();
    assert!(contents(&store.inner)["x"] == expected);
    assert_eq!(output.upload.sending().held(), 0);
}
