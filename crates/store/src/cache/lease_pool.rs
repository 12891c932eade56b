//! [`LeasePool`]: many values, of which few are open at a time.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Many values, such as files, of which few are open at a time. A value is opened when it is asked for. It stays open until
/// another needs its room; the one that was not used for longest makes room first.
#[derive(Debug)]
pub struct LeasePool<K, V>(Arc<Pool<K, V>>);

#[derive(Debug)]
struct Pool<K, V> {
    most: usize,
    state: Mutex<State<K, V>>,
    /// Told when a value is given back, was opened, or could not be opened.
    changed: Condvar,
}

#[derive(Debug)]
struct State<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// Number of uses so far.
    uses: u64,
}

/// A value that is open, or that a thread is opening.
#[derive(Debug)]
struct Entry<V> {
    /// `None` while a thread opens it.
    value: Option<Arc<V>>,
    /// Value of [`State::uses`] at the last use.
    used: u64,
}

impl<K: Clone + Eq + Hash, V> LeasePool<K, V> {
    /// A pool of which at most `most` values are open, at least one.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Pool {
            most: most.max(1),
            state: Mutex::new(State {
                entries: HashMap::new(),
                uses: 0,
            }),
            changed: Condvar::new(),
        }))
    }

    /// Number of values that are open.
    pub fn count(&self) -> usize {
        self.0.lock().entries.len()
    }

    /// The value of a key. `open` opens it if it is not open. Waits while all open values are in use. So a thread that
    /// holds a value must not ask for another: all threads could wait for each other.
    ///
    /// # Errors
    /// The error of `open`.
    pub fn get<E>(&self, key: &K, open: impl FnOnce() -> Result<V, E>) -> Result<Lease<K, V>, E> {
        let pool = &self.0;
        let mut state = pool.lock();
        loop {
            state.uses += 1;
            let used = state.uses;
            if let Some(entry) = state.entries.get_mut(key) {
                // `None` while another thread opens it.
                if let Some(value) = &entry.value {
                    entry.used = used;
                    return Ok(Lease::new(Arc::clone(value), pool));
                }
            } else {
                let has_room = state.entries.len() < pool.most;
                let closed = if has_room { None } else { state.take_idle() };
                if has_room || closed.is_some() {
                    state.entries.insert(key.clone(), Entry { value: None, used });
                    drop(state);
                    drop(closed);
                    let opening = Opening { pool, key };
                    let value = Arc::new(open()?);
                    let lease = Lease::new(Arc::clone(&value), pool);
                    if let Some(entry) = pool.lock().entries.get_mut(key) {
                        entry.value = Some(value);
                    }
                    drop(opening);
                    return Ok(lease);
                }
            }
            state = pool.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<K, V> Clone for LeasePool<K, V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, V> Pool<K, V> {
    fn lock(&self) -> MutexGuard<'_, State<K, V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone + Eq + Hash, V> State<K, V> {
    /// Takes out the value that nobody uses and that was not used for longest.
    fn take_idle(&mut self) -> Option<Entry<V>> {
        let is_idle = |value: &Arc<V>| Arc::strong_count(value) == 1;
        let idle = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.value.as_ref().is_some_and(is_idle));
        let key = idle
            .min_by_key(|(_, entry)| entry.used)
            .map(|(key, _)| key.clone())?;
        self.entries.remove(&key)
    }
}

/// A value that a thread is opening. If that fails or panics, its entry is removed.
struct Opening<'a, K: Eq + Hash, V> {
    pool: &'a Pool<K, V>,
    key: &'a K,
}

impl<K: Eq + Hash, V> Drop for Opening<'_, K, V> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        if state
            .entries
            .get(self.key)
            .is_some_and(|entry| entry.value.is_none())
        {
            state.entries.remove(self.key);
        }
        drop(state);
        self.pool.changed.notify_all();
    }
}

/// An open value of a [`LeasePool`]. It is given back when its last clone is dropped.
#[derive(Debug)]
pub struct Lease<K, V> {
    // Dropped before others are told, so that they find it unused.
    value: Arc<V>,
    given_back: GivenBack<K, V>,
}

/// Tells others of a value that was given back.
#[derive(Debug)]
struct GivenBack<K, V>(Arc<Pool<K, V>>);

impl<K, V> Drop for GivenBack<K, V> {
    fn drop(&mut self) {
        // A thread that has just found no unused value waits before it gives the lock back.
        drop(self.0.lock());
        self.0.changed.notify_all();
    }
}

impl<K, V> Lease<K, V> {
    fn new(value: Arc<V>, pool: &Arc<Pool<K, V>>) -> Self {
        Self {
            value,
            given_back: GivenBack(Arc::clone(pool)),
        }
    }
}

impl<K, V> Clone for Lease<K, V> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.value), &self.given_back.0)
    }
}

impl<K, V> Deref for Lease<K, V> {
    type Target = V;

    fn deref(&self) -> &V {
        &self.value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn each_value_is_opened_by_one_thread_and_few_are_open() {
        let (pool, opened) = (LeasePool::new(2), AtomicUsize::new(0));
        let open = |n: usize| {
            opened.fetch_add(1, Ordering::Relaxed);
            Ok::<_, ()>(n * 10)
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for n in (0..100).map(|n| n % 7) {
                        let lease = pool.get(&n, || open(n)).unwrap();
                        assert!(pool.count() <= 2);
                        assert_eq!(*lease, n * 10);
                    }
                });
            }
        });
        opened.store(0, Ordering::Relaxed);
        let first = pool.get(&1, || open(1)).unwrap();
        let again = first.clone();
        drop(first);
        for n in [2, 3, 1] {
            pool.get(&n, || open(n)).unwrap();
        }
        assert_eq!((*again, opened.load(Ordering::Relaxed) <= 3), (10, true));
    }

    #[test]
    fn what_cannot_be_opened_leaves_its_room() {
        let pool = LeasePool::new(1);
        assert_eq!(pool.get(&1, || Err::<u8, _>("no")).unwrap_err(), "no");
        assert_eq!(pool.count(), 0);
        assert_eq!(*pool.get(&1, || Ok::<_, ()>(5)).unwrap(), 5);
    }
}
