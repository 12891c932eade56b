//! Skips numbers, names, blanks, commas and plain text of strings, many bytes at a time.

use super::Measure;
use super::index::SPACING;

/// Size of a block, in bytes.
const BLOCK: usize = 64;

impl Measure<'_> {
    /// Skips blocks that hold only numbers, names, blanks and commas. Returns the position after them.
    pub(super) fn blocks(&mut self, bytes: &[u8], mut n: usize, base: u64) -> usize {
        let level = self.level;
        // After the last item that fits, look at each byte, to find a missing comma: a statement without end runs on
        // into the next one.
        if level + 1 < self.levels.starts.len() || self.full.is_some() {
            return n;
        }
        let most = match (level, self.levels.most) {
            (0, Some(most)) => most,
            _ => u64::MAX,
        };
        while let Some(block) = bytes[n..].first_chunk::<BLOCK>() {
            let (special, commas) = look_at(block);
            // Near the last item that fits, look at each byte.
            if special || self.items[level].saturating_add(commas + 1) >= most {
                break;
            }
            if !self.content[level] {
                self.content[level] = block.iter().any(|b| *b > b' ');
            }
            let at = base + n as u64;
            if at.saturating_sub(self.last_entry) >= SPACING
                && let Some(comma) = block.iter().position(|b| *b == b',')
            {
                let before = self.items[level];
                self.items[level] += 1;
                self.enter(at + comma as u64 + 1, false);
                self.items[level] = before;
            }
            self.items[level] += commas;
            n += BLOCK;
            self.in_word = false;
            self.wants_comma = false;
            self.comma = false;
        }
        n
    }

    /// Skips bytes of a string, up to a quote or backslash. Returns its position.
    pub(super) fn plain_text(&mut self, bytes: &[u8], mut n: usize, base: u64) -> usize {
        let rest = &bytes[n..];
        let special = rest.iter().position(|b| matches!(b, b'"' | b'\\'));
        let end = n + special.unwrap_or(rest.len());
        if self.rows.is_none() {
            return end;
        }
        while n < end {
            let at = base + n as u64;
            if at.saturating_sub(self.last_entry) >= SPACING {
                self.enter(at, true);
            }
            let step = (end - n).min((self.last_entry + SPACING).saturating_sub(at) as usize);
            n += step;
            if let Some(rows) = &mut self.rows {
                rows.length += step as u64;
            }
        }
        n
    }
}

/// True if a block contains a byte that is not part of a value, with the number of commas. There are no branches, so
/// that the compiler compares many bytes at once.
fn look_at(block: &[u8; BLOCK]) -> (bool, u64) {
    let (mut special, mut commas) = (0u8, 0u8);
    for byte in *block {
        special |= u8::from(byte == b';')
            | u8::from(byte == b'{')
            | u8::from(byte == b'}')
            | u8::from(byte == b'"')
            | u8::from(byte == b'\'')
            | u8::from(byte == b'/')
            | u8::from(byte == b'\\');
        commas += u8::from(byte == b',');
    }
    (special != 0, u64::from(commas))
}
