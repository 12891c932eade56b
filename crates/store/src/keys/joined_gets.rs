//! Requests for neighbouring ranges of one key as one request.

use std::collections::HashMap;
use std::io;

use crate::requests::joined_ranges::join;
use crate::{ByteRange, Get, GetRange};

/// One request, which answers several.
#[derive(Debug, PartialEq, Eq)]
pub struct JoinedGet {
    /// The request.
    get: Get,
    /// The positions of the requests that it answers, and their ranges.
    members: Vec<(usize, ByteRange)>,
}

/// Joins requests for ranges of one key that are at most `gap` bytes apart. Every other request stays alone.
pub fn join_gets(gets: Vec<Get>, gap: u64) -> Vec<JoinedGet> {
    let mut ranges: HashMap<&str, Vec<(usize, ByteRange)>> = HashMap::new();
    for (n, get) in gets.iter().enumerate() {
        if let GetRange::Range(range) = get.part {
            ranges.entry(&get.key).or_default().push((n, range));
        }
    }
    let mut joined = Vec::with_capacity(gets.len());
    let mut answered = vec![false; gets.len()];
    for (key, of_key) in ranges.into_iter().filter(|(_, of_key)| of_key.len() > 1) {
        let alone: Vec<ByteRange> = of_key.iter().map(|(_, range)| *range).collect();
        for (whole, members) in join(&alone, gap)
            .into_iter()
            .filter(|(_, members)| members.len() > 1)
        {
            let members: Vec<_> = members.into_iter().map(|n| of_key[n]).collect();
            for (n, _) in &members {
                answered[*n] = true;
            }
            joined.push(JoinedGet {
                get: Get {
                    key: key.to_owned(),
                    part: GetRange::Range(whole),
                },
                members,
            });
        }
    }
    let alone = gets.into_iter().enumerate().filter(|(n, _)| !answered[*n]);
    joined.extend(alone.map(|(n, get)| JoinedGet {
        members: vec![(n, ByteRange { offset: 0, length: 0 })],
        get,
    }));
    // In the order of the first request that each answers.
    joined.sort_by_key(|one| one.members.iter().map(|(n, _)| *n).min());
    joined
}

impl JoinedGet {
    /// The request.
    pub fn request(&self) -> &Get {
        &self.get
    }

    /// The position of the first request that it answers.
    pub fn first(&self) -> usize {
        self.members.iter().map(|(n, _)| *n).min().unwrap_or(0)
    }

    /// The answers, each with the position of its request. `found` is the answer to [`request`](Self::request).
    pub fn answers(&self, found: Option<Vec<u8>>) -> Vec<(usize, Option<Vec<u8>>)> {
        let whole = match (self.get.part, &self.members[..]) {
            (GetRange::Range(whole), [_, _, ..]) => whole,
            _ => return vec![(self.first(), found)],
        };
        let part = |(n, range): &(usize, ByteRange)| {
            let from = (range.offset - whole.offset) as usize;
            let part = found.as_ref().map(|bytes| {
                // A value that ends before the range gives less.
                let from = from.min(bytes.len());
                let to = from.saturating_add(range.length).min(bytes.len());
                bytes[from..to].to_vec()
            });
            (*n, part)
        };
        self.members.iter().map(part).collect()
    }

    /// The answers by `read`, each with the position of its request. A joined request that fails is made again one by one, so that the
    /// error tells which one failed.
    ///
    /// # Errors
    /// The store's error, with the position of the request.
    pub fn run(
        self,
        read: impl Fn(&str, GetRange) -> io::Result<Option<Vec<u8>>>,
    ) -> Result<Vec<(usize, Option<Vec<u8>>)>, (usize, io::Error)> {
        let one = |(n, range): &(usize, ByteRange)| match read(&self.get.key, GetRange::Range(*range)) {
            Ok(value) => Ok((*n, value)),
            Err(e) => Err((*n, e)),
        };
        match read(&self.get.key, self.get.part) {
            Ok(found) => Ok(self.answers(found)),
            Err(e) if self.members.len() == 1 => Err((self.first(), e)),
            Err(_) => self.members.iter().map(one).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyStore;
    use crate::{KeyOutput, MemoryKeys};

    fn range(key: &str, offset: u64, length: usize) -> Get {
        Get {
            key: key.to_owned(),
            part: GetRange::Range(ByteRange { offset, length }),
        }
    }

    #[test]
    fn neighbours_of_one_key_are_one_request() {
        let keys = MemoryKeys::new();
        let output = keys.output();
        output.put("a", b"0123456789").unwrap();
        output.put("b", b"xyz").unwrap();
        output.publish().unwrap();
        let gets = vec![
            range("a", 4, 2),
            range("b", 0, 2),
            range("a", 1, 3),
            range("a", 8, 9),
            range("c", 0, 1),
            Get {
                key: "b".to_owned(),
                part: GetRange::Suffix(1),
            },
        ];
        for (gap, requests) in [(0, 5), (100, 4)] {
            let joined = join_gets(gets.clone(), gap);
            assert_eq!(joined.len(), requests);
            let mut found: Vec<_> = joined
                .into_iter()
                .flat_map(|one| one.run(|key, part| keys.get(key, part)).unwrap())
                .collect();
            found.sort();
            let texts: Vec<_> = found
                .into_iter()
                .map(|(_, value)| value.map(|v| String::from_utf8(v).unwrap()))
                .collect();
            let wanted = [Some("45"), Some("xy"), Some("123"), Some("89"), None, Some("z")];
            assert_eq!(texts, wanted.map(|text| text.map(str::to_owned)));
        }
    }
}
