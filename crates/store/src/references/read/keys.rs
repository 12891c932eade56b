//! [`ReferenceKeys`]: references as a store of keys.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

use super::objects::{Objects, range_of, unreadable};
use crate::keys::key::part_of;
use crate::references::reference_pool::checked_bytes;
use crate::references::{Reference, ReferencedObject, StoredRange, ValuePlace};
use crate::requests::fetch_pool::allocate_in;
use crate::requests::gathered::Gathered;
use crate::threads::try_map;
use crate::{
    ByteRange, Done, ExternalFiles, FailedRequest, Get, GetRange, KeyStore, NamedAs, Object, Requests, Sought,
};

/// References by key, as a file of them has them.
pub trait ReferenceSet: Send + Sync {
    /// The reference of a key; `None` if there is none.
    ///
    /// # Errors
    /// If the references cannot be read.
    fn find(&self, key: &str) -> io::Result<Option<Reference>>;

    /// All keys that start with `prefix`, ascending.
    ///
    /// # Errors
    /// If the references cannot be read.
    fn list(&self, prefix: &str) -> io::Result<Vec<String>>;

    /// Passes keys that start with `prefix` to `each` with their handles, as [`KeyStore::list_handles`] does.
    ///
    /// # Errors
    /// If the references cannot be read.
    fn list_handles(&self, prefix: &str, each: &mut dyn FnMut(&str, u32)) -> io::Result<bool> {
        let _ = (prefix, each);
        Ok(false)
    }

    /// The reference of a key with a handle.
    fn by_handle(&self, handle: u32) -> Option<Reference> {
        let _ = handle;
        None
    }

    /// The names directly below a folder, as [`KeyStore::list_children`] gives them.
    ///
    /// # Errors
    /// If the references cannot be read.
    fn list_children(&self, folder: &str) -> io::Result<Vec<String>>;

    /// Gives the names of the objects elsewhere that references lead to, each at least once.
    ///
    /// # Errors
    /// If the references cannot be read.
    fn objects(&self, each: &mut dyn FnMut(&str)) -> io::Result<()>;

    /// False if no reference leads to an object at the place `sought`; `None` if that is not known without a look at all references.
    ///
    /// # Errors
    /// If the references cannot be read.
    fn may_lead_to(&self, sought: &Sought<'_>) -> io::Result<Option<bool>>;

    /// What a user must know of references that are missing.
    fn lacking(&self) -> Vec<String> {
        Vec::new()
    }

    /// Compares what the references were read from with what it was, as far as that takes no request.
    ///
    /// # Errors
    /// It has changed.
    fn check_unchanged(&self) -> io::Result<()> {
        Ok(())
    }
}

/// The values that references lead to.
pub struct ReferenceKeys {
    set: Box<dyn ReferenceSet>,
    objects: Objects,
    requests: Requests,
}

impl ReferenceKeys {
    /// The values of `set`, in the objects of `places`. `some` is one of the objects, which tells how slow they are.
    pub fn new(
        set: Box<dyn ReferenceSet>,
        places: Option<Arc<dyn ExternalFiles>>,
        some: Option<&str>,
    ) -> Self {
        let requests = match (&places, some) {
            (Some(places), Some(name)) => places.requests_of(name),
            _ => Requests::LOCAL,
        };
        Self {
            set,
            objects: Objects::new(places),
            requests,
        }
    }

    /// Reads a part of the value that a reference has or leads to.
    fn read(&self, found: Reference, part: GetRange, bytes: &mut Vec<u8>) -> io::Result<()> {
        match found {
            Reference::Inline(value) => {
                bytes.clear();
                bytes.extend_from_slice(part_of(&value, part));
            }
            Reference::Stored(stored) => {
                let (object, range) = self.place(&stored, part)?;
                allocate_in(bytes, range.length)?;
                let read = object.read_exact_at(range.offset, bytes);
                read.map_err(|e| unreadable(&stored, &e))?;
            }
        }
        Ok(())
    }

    /// The object that a reference leads to, and the bytes of a part of the value.
    fn place(&self, stored: &StoredRange, part: GetRange) -> io::Result<(Arc<dyn Object>, ByteRange)> {
        let found = self.objects.object_of(stored).and_then(|object| {
            let range = range_of(&*object, stored, part)?;
            Ok((object, range))
        });
        found.map_err(|e| unreadable(stored, &e))
    }
}

impl ReferenceKeys {
    /// The names of the objects elsewhere that references lead to.
    ///
    /// # Errors
    /// If the references cannot be read, or the names take too much memory.
    fn names(&self) -> io::Result<BTreeSet<String>> {
        let (mut names, mut bytes) = (BTreeSet::new(), Ok(0));
        self.set.objects(&mut |name| {
            if let (Ok(before), false) = (&bytes, names.contains(name)) {
                bytes = checked_bytes(*before, name.len());
                names.insert(name.to_owned());
            }
        })?;
        bytes.map_err(io::Error::other)?;
        Ok(names)
    }
}

impl KeyStore for ReferenceKeys {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        let Some(found) = self.set.find(key)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        self.read(found, part, &mut bytes)?;
        Ok(Some(bytes))
    }

    fn list_handles(&self, prefix: &str, each: &mut dyn FnMut(&str, u32)) -> io::Result<bool> {
        self.set.list_handles(prefix, each)
    }

    fn get_by_handle(&self, handle: u32, part: GetRange, bytes: &mut Vec<u8>) -> io::Result<()> {
        let found = self.set.by_handle(handle).ok_or(io::ErrorKind::Unsupported)?;
        self.read(found, part, bytes)
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        Ok(match self.set.find(key)? {
            None => None,
            Some(Reference::Inline(value)) => Some(value.len() as u64),
            Some(Reference::Stored(StoredRange {
                range: Some((_, length)),
                ..
            })) => Some(length),
            Some(Reference::Stored(stored)) => {
                let (_, range) = self.place(&stored, GetRange::Whole)?;
                Some(range.length as u64)
            }
        })
    }

    fn value_place(&self, key: &str) -> io::Result<ValuePlace> {
        Ok(match self.set.find(key)? {
            Some(Reference::Stored(stored)) => {
                let checked = self.objects.check_passed_on(&stored);
                checked.map_err(|e| unreadable(&stored, &e))?;
                ValuePlace::Elsewhere(stored)
            }
            _ => ValuePlace::Nowhere,
        })
    }

    fn referenced_objects(&self) -> io::Result<Vec<ReferencedObject>> {
        let names: Vec<String> = self.names()?.into_iter().collect();
        let at_once = self.objects.places().map_or(1, |places| {
            let all = names.iter().map(|name| places.requests_of(name).in_flight);
            all.max().unwrap_or(1)
        });
        try_map(at_once, 1, &names, |name: &String| {
            Ok(ReferencedObject {
                found: self.objects.look_up(name),
                name: name.clone(),
            })
        })
    }

    fn find_referenced(&self, sought: &Sought<'_>) -> io::Result<Option<String>> {
        let Some(places) = self.objects.places() else {
            return Ok(None);
        };
        let may_be = match self.set.may_lead_to(sought)? {
            Some(known) => known,
            None => sought.may_be_among(&**places, NamedAs::Reference),
        };
        if !may_be {
            return Ok(None);
        }
        let leads = |name: &String| sought.is_found(&places.find(name, NamedAs::Reference));
        Ok(self.names()?.into_iter().find(leads))
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.set.list(prefix)
    }

    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        self.set.list_children(folder)
    }

    fn lacking(&self) -> Vec<String> {
        self.set.lacking()
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.set.check_unchanged()?;
        match self.objects.places() {
            Some(places) => places.check_unchanged().map_err(io::Error::other),
            None => Ok(()),
        }
    }

    fn requests(&self) -> Requests {
        self.requests
    }

    /// Values in one object are fetched together, so that the object joins ranges that are neighbours.
    fn fetch(self: Arc<Self>, gets: Vec<Get>, done: Done<io::Result<Vec<Option<Vec<u8>>>>>) {
        let count = gets.len();
        let mut inline: Vec<(usize, Option<Vec<u8>>)> = Vec::new();
        let mut of_objects: HashMap<Arc<str>, Wanted> = HashMap::new();
        for (n, get) in gets.into_iter().enumerate() {
            let found = self.set.find(&get.key).and_then(|found| match found {
                None => Ok(None),
                Some(Reference::Inline(value)) => {
                    inline.push((n, Some(part_of(&value, get.part).to_vec())));
                    Ok(None)
                }
                Some(Reference::Stored(stored)) => {
                    let (object, range) = self.place(&stored, get.part)?;
                    Ok(Some((object, range, stored)))
                }
            });
            match found {
                Ok(None) => {}
                Ok(Some((object, range, stored))) => {
                    let wanted = of_objects.entry(stored.object.clone()).or_insert_with(|| Wanted {
                        object,
                        ranges: Vec::new(),
                        of: Vec::new(),
                    });
                    wanted.ranges.push(range);
                    wanted.of.push((n, stored));
                }
                Err(e) => return done(Err(FailedRequest::error(n, e))),
            }
        }
        let mut of_objects: Vec<Wanted> = of_objects.into_values().collect();
        // In the order in which values are wanted.
        of_objects.sort_by_key(|wanted| wanted.of.first().map(|(n, ..)| *n));
        let Some(gathered) = Gathered::new(count, of_objects.len() + 1, done) else {
            return;
        };
        gathered.arrive(Ok(inline));
        for Wanted { object, ranges, of } in of_objects {
            let gathered = Arc::clone(&gathered);
            let answer = move |found: io::Result<Vec<Vec<u8>>>| {
                gathered.arrive(match found {
                    Ok(values) => {
                        let numbers = of.iter().map(|(n, ..)| *n);
                        Ok(numbers.zip(values.into_iter().map(Some)).collect())
                    }
                    Err(e) => Err(failed(e, &of)),
                });
            };
            object.fetch(ranges, Box::new(answer));
        }
    }
}

/// What is wanted of one object.
struct Wanted {
    object: Arc<dyn Object>,
    ranges: Vec<ByteRange>,
    /// The position of the request of each range, and its reference.
    of: Vec<(usize, StoredRange)>,
}

/// The error of a request for several values, which tells the one that failed.
fn failed(error: io::Error, of: &[(usize, StoredRange)]) -> io::Error {
    let (position, cause) = FailedRequest::split(error);
    match position.and_then(|at| of.get(at)) {
        Some((n, stored)) => FailedRequest::error(*n, unreadable(stored, &cause)),
        None => match of.first() {
            Some((_, stored)) => unreadable(stored, &cause),
            None => cause,
        },
    }
}

#[cfg(test)]
mod tests;
