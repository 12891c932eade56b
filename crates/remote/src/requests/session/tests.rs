use super::*;
use crate::wire::Failure;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use std::sync::atomic::AtomicU32;
use std::sync::mpsc;

fn passing() -> object_store::Error {
    object_store::Error::Generic {
        store: "test",
        source: Box::new(Failure::passing("it broke")),
    }
}

fn session() -> Arc<Session> {
    Session::over(Arc::new(InMemory::new()), "mem://b")
}

/// Keys that have ended, and are renewed.
#[derive(Default)]
struct Ended(Arc<AtomicU32>);

impl Recipe for Ended {
    fn renew(&self) -> Result<bool, String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(true)
    }
    fn identity(&self) -> Option<String> {
        Some("keys of a test".to_owned())
    }
}

fn expired() -> object_store::Error {
    let body = "<Error><Code>ExpiredToken</Code></Error>";
    Failure::of_status(http::StatusCode::BAD_REQUEST, body).into()
}

#[test]
fn keys_that_end_for_many_requests_are_renewed_once() {
    let renewed = Arc::new(AtomicU32::new(0));
    let recipe = Ended(Arc::clone(&renewed));
    let store = Arc::new(InMemory::new());
    let session = Session::new(
        store,
        recipe,
        "mem://b".to_owned(),
        Arc::new(Limiter::new(8)),
        RetryConfig::DEFAULT,
    );
    let together = tokio::sync::Barrier::new(8);
    let one = |ends: u32| {
        let (session, renewed, together) = (&session, &renewed, &together);
        async move {
            let attempt = |_| async move {
                let before = renewed.load(Ordering::Relaxed);
                if ends == 1 && before == 0 {
                    // All have the old keys.
                    together.wait().await;
                }
                if before < ends { Err(expired()) } else { Ok(()) }
            };
            session.tried(&Task::new("read", "a"), attempt).await
        }
    };
    let all = session
        .wait(futures_util::future::join_all((0..8).map(|_| one(1))))
        .unwrap();
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    assert_eq!(renewed.load(Ordering::Relaxed), 1);
    // Keys that are refused again are not renewed a second time.
    let error = session.wait(one(u32::MAX)).unwrap().unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot read a: the server answered 400 (ExpiredToken); credentials: keys of a test"
    );
    assert_eq!(renewed.load(Ordering::Relaxed), 2);
}

#[test]
fn operations_reach_the_store() {
    let session = session();
    let path = Path::from("a/b");
    session
        .run(&Task::new("write", "a/b"), |store| {
            let path = path.clone();
            async move { store.put(&path, PutPayload::from_static(b"xyz")).await }
        })
        .unwrap();
    let (tell, told) = mpsc::channel();
    let there = Arc::clone(&session);
    Session::begin(async move {
        let get = async |store: Arc<dyn RemoteStore>| store.get(&path).await?.bytes().await;
        let bytes = there.tried(&Task::new("read", "a/b"), get).await;
        Some(Box::new(move || tell.send(bytes.unwrap()).unwrap()) as _)
    })
    .unwrap();
    assert_eq!(&told.recv().unwrap()[..], b"xyz");
    let error = session
        .run(&Task::new("read", "none"), |store| async move {
            store.get(&Path::from("none")).await
        })
        .err()
        .unwrap();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert_eq!(error.to_string(), "cannot read none: no such object");
    assert_eq!(Failure::inside(&error).unwrap().meaning, Meaning::NoObject);
}

#[test]
fn what_may_pass_is_tried_again() {
    let tries = AtomicU32::new(0);
    let task = Task::new("read", "");
    let tried = |until: u32, moves: bool| {
        tries.store(0, Ordering::Relaxed);
        let task = &task;
        let tries = &tries;
        session().run(task, |_| async move {
            let n = tries.fetch_add(1, Ordering::Relaxed) + 1;
            if moves && n.is_multiple_of(9) {
                task.has_moved();
            }
            if n < until { Err(passing()) } else { Ok(n) }
        })
    };
    assert_eq!(tried(10, false).unwrap(), 10);
    assert_eq!(tried(40, true).unwrap(), 40);
    let error = tried(11, false).unwrap_err();
    assert_eq!(error.to_string(), "cannot read: it broke; tried 10 times");
    assert_eq!(tries.load(Ordering::Relaxed), 10);
}

#[test]
fn waits_grow() {
    let wait = |tries, chance| RetryConfig::DEFAULT.wait(tries, chance).as_millis();
    assert_eq!([wait(1, 1.0), wait(2, 1.0), wait(5, 0.0)], [100, 200, 800]);
    assert_eq!(wait(60, 1.0), 15_000);
    assert!((0.0..=1.0).contains(&chance()));
}
