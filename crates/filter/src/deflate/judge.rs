//! Tells which kind of deflate block suits a piece of a chunk.
//!
//! ```text
//! piece ─┬─ one byte ─────────────────────────────────────────────► repeated
//!        ├─ a glance sees repeats, or one value in a part ─────────► matches
//!        ├─ counts of few values ─► long repeats, else a trial ────► literals or matches
//!        └─ others ─► what matches save, estimated ─┬─ affordable ─► stored if all bytes are as frequent, else literals
//!                                                   └─ not ────────► matches
//! ```
//!
//! What a piece loses by not being searched is taken from what the chunk can afford.

use std::cell::RefCell;

use crate::deflate::blocks::literal_blocks::append_literals;
use crate::deflate::blocks::repeated_byte::repeated_byte;
use crate::deflate::byte_counts::{byte_counts, entropy, equal_neighbours};
use crate::deflate::encoder::{LEVELS, Search, encode_matches, has_quick};
use crate::deflate::libdeflate::libdeflate;
use crate::deflate::repeats::{GLANCE, Repeats};

/// Smallest part, in bytes, of which a quick search is tried. The trial of a smaller one tells little.
const SMALLEST_OF_QUICK: usize = (32 << 10) + 1;

/// Smallest piece, in bytes, that is glanced at first. Of a shorter one, a glance sees as much as a longer look.
const GLANCED_AT: usize = 16 << 10;

/// Smallest piece, in bytes, that is looked at in several places.
const LONG: usize = 64 << 10;

/// Where a piece is looked at, in sixths of its length: the middle first.
const PLACES: [usize; 3] = [3, 1, 5];

/// Bytes are noise if codes of different lengths save less than one in this many.
const GAIN: f64 = 200.0;

/// The share of its bits by which a chunk may grow because matches are not searched. What they save is an estimate: the true
/// saving may be twice as much.
const AFFORDABLE: f32 = 0.003;

/// The saving by matches, as a share of all bits, from which on a glance decides for them.
const CLEAR_SAVING: f32 = 0.04;

/// The average number of bits of a byte below which a trial decides. Codes of whole bits then waste much, and so do matches that
/// libdeflate takes although they cost more than literals. Literals and runs are 15 % larger for two values, and 15 % smaller for rain,
/// most of which is zero.
const SIMPLE: f64 = 4.2;

/// The share of the entropy that long matches save, from which on a piece of few values has matches. A trial is too short for those
/// that are far away.
const SAVING_OF_LONG: f32 = 0.05;

const _: () = assert!(GLANCE < GLANCED_AT);

/// Most bytes of a trial.
const TRIAL: usize = 8 << 10;

/// Where a quick search is tried, in sixths of a part, and with how many bytes at most. The second shows repeats that are far away.
const TRIALS_OF_QUICK: [(usize, usize); 2] = [(1, 4 << 10), (3, 64 << 10)];

/// A part that takes fewer bytes than one in this many is not searched quickly: it repeats itself in ways that a short trial does not
/// show, and takes little time.
const SMALL_SHARE: usize = 10;

/// A quick search makes a part larger by at most one in this many bytes.
const LARGER_BY_QUICK: usize = 11;

/// A trial takes one in this many bytes of a piece.
const TRIAL_SHARE: usize = 16;

/// Length, in bytes, of the parts of a piece in which runs are looked for.
const PART: usize = 32 << 10;

/// The share of bytes that equal the one before them, beyond chance, from which on there are runs.
const MOST_RUNS: f64 = 0.12;

thread_local! {
    static REPEATS: RefCell<Option<Repeats>> = const { RefCell::new(None) };
    static TRIALS: RefCell<(Vec<u8>, Vec<u8>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// The kind of blocks that suit bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// This byte, repeated.
    Repeated(u8),
    /// Bytes as they are.
    Stored,
    /// Codes of single bytes, and of runs of one byte.
    Literals,
    /// Codes of bytes and of repeats.
    Matches,
}

/// Calls `judged` with a judge of a chunk of `size` bytes. `level` is zlib's, 1 to 9.
pub(crate) fn with_judge(level: usize, size: usize, judged: impl FnOnce(&mut Judge<'_>)) {
    REPEATS.with_borrow_mut(|repeats| {
        judged(&mut Judge {
            level,
            repeats: repeats.get_or_insert_default(),
            affordable: AFFORDABLE * 8.0 * size as f32,
        });
    });
}

/// Judges the pieces of a chunk, in their order.
pub(crate) struct Judge<'a> {
    /// zlib's level.
    level: usize,
    repeats: &'a mut Repeats,
    /// The bits by which the chunk may still grow because matches are not searched.
    affordable: f32,
}

impl Judge<'_> {
    /// The kind of blocks that suit a piece.
    pub fn blocks_for(&mut self, piece: &[u8]) -> Blocks {
        match repeated_byte(piece) {
            Some(byte) => Blocks::Repeated(byte),
            None if piece.len() >= GLANCED_AT && self.repeats_clearly(piece) => Blocks::Matches,
            None => self.blocks_by_counts(piece),
        }
    }

    /// True if a glance at a few places tells that matches save much. It finds most pieces with repeats.
    ///
    /// The piece is longer than a glance.
    fn repeats_clearly(&mut self, piece: &[u8]) -> bool {
        let places = if piece.len() < LONG { 1 } else { PLACES.len() };
        for sixths in &PLACES[..places] {
            let start = (piece.len() - GLANCE) / 6 * sixths;
            let seen = &piece[start..start + GLANCE];
            let counts = byte_counts(seen);
            let bits = entropy(&counts);
            if is_uniform(bits, GLANCE) || is_simple(bits, GLANCE) {
                // Noise is looked at longer in any case, and of few values a trial tells more.
                break;
            }
            if self.repeats.glance(seen, &counts) >= CLEAR_SAVING {
                return true;
            }
        }
        false
    }

    fn blocks_by_counts(&mut self, piece: &[u8]) -> Blocks {
        let counts = byte_counts(piece);
        let bits = entropy(&counts);
        if is_uniform(bits, piece.len()) {
            // Where all bytes are equally frequent, what matches save tells of runs too.
            let saving = match piece.len() {
                ..LONG => self.saving(piece, &counts),
                _ => self.repeats.saving_of_noise(piece, &counts),
            };
            return self.without_matches(saving * bits as f32, Blocks::Stored);
        }
        if has_runs(piece, &counts) {
            return Blocks::Matches;
        }
        if is_simple(bits, piece.len()) {
            let repeats_long = self.repeats.saving_of_long(piece, &counts) > SAVING_OF_LONG;
            return match !repeats_long && literals_win(self.level, piece) {
                true => Blocks::Literals,
                false => Blocks::Matches,
            };
        }
        let saving = self.saving(piece, &counts);
        self.without_matches(saving * bits as f32, Blocks::Literals)
    }

    /// What matches save in a piece, as a share of the bits of literals.
    fn saving(&mut self, piece: &[u8], counts: &[u64; 256]) -> f32 {
        match piece.len() {
            ..GLANCED_AT => self.repeats.saving_of_short(piece, counts),
            _ => self.repeats.saving(piece, counts),
        }
    }

    /// True if a quick search makes `part`, which has matches, larger by no more than the chunk can still afford. It is asked after all
    /// pieces are judged.
    pub fn is_quick_enough(&mut self, part: &[u8]) -> bool {
        if part.len() < SMALLEST_OF_QUICK || !has_quick(self.level) {
            return false;
        }
        let Some(lost) = lost_by_quick(self.level, part, self.affordable) else {
            return false;
        };
        self.affordable -= lost;
        true
    }

    /// `blocks` if the chunk can still afford to lose the bits that matches would save.
    fn without_matches(&mut self, lost: f32, blocks: Blocks) -> Blocks {
        if lost > self.affordable {
            return Blocks::Matches;
        }
        self.affordable -= lost;
        blocks
    }
}

/// True if `length` bytes that need so many bits hold few values, or few that are frequent.
fn is_simple(bits: f64, length: usize) -> bool {
    bits < SIMPLE * length as f64
}

/// True if literals and runs take no more bytes than libdeflate does, for a part of a piece.
fn literals_win(level: usize, piece: &[u8]) -> bool {
    TRIALS.with_borrow_mut(|(compressed, literals)| {
        let part = sample(piece, 3, TRIAL);
        literals.clear();
        append_literals(part, true, literals);
        libdeflate(LEVELS[level], part, 0, compressed).is_ok() && literals.len() <= compressed.len()
    })
}

/// The bits that a quick search loses in a part of a chunk, estimated by trials. `None` if it is more than `affordable`, or more than
/// a quick search is for.
fn lost_by_quick(level: usize, part: &[u8], affordable: f32) -> Option<f32> {
    TRIALS.with_borrow_mut(|(usual, quick)| {
        let mut lost = 0.0;
        // Most parts that are not searched quickly show it in the short trial.
        for (sixths, most) in TRIALS_OF_QUICK {
            let tried = sample(part, sixths, most);
            encode_matches(level, tried, Search::Usual, 0, usual).ok()?;
            encode_matches(level, tried, Search::Quick, 0, quick).ok()?;
            let larger = quick.len().saturating_sub(usual.len());
            lost = 8.0 * larger as f32 * part.len() as f32 / tried.len() as f32;
            let is_small = usual.len() < tried.len() / SMALL_SHARE;
            if is_small || larger > usual.len() / LARGER_BY_QUICK || lost > affordable {
                return None;
            }
        }
        Some(lost)
    })
}

/// The bytes of a trial, at most `most`, so many sixths behind the beginning.
fn sample(piece: &[u8], sixths: usize, most: usize) -> &[u8] {
    let length = (piece.len() / TRIAL_SHARE).min(most);
    let start = (piece.len() - length) / 6 * sixths;
    &piece[start..start + length]
}

/// True if bytes of a part equal the one before them more often than by chance: some of it is one value, such as a mask.
fn has_runs(piece: &[u8], counts: &[u64; 256]) -> bool {
    let total = piece.len() as f64;
    let by_chance: f64 = counts.iter().map(|count| (*count as f64 / total).powi(2)).sum();
    piece.chunks(PART).any(|part| {
        let equal = equal_neighbours(part) as f64;
        equal > part.len() as f64 * (by_chance + MOST_RUNS)
    })
}

/// True if `length` bytes that need so many bits are distributed so evenly that codes of different lengths save less than [`GAIN`]
/// allows.
fn is_uniform(bits: f64, length: usize) -> bool {
    // The entropy of a sample is lower than that of its source, by about half a bit for each value.
    let missing = 255.0 / 2.0 * std::f64::consts::LOG2_E;
    bits + missing > 8.0 * length as f64 * (1.0 - 1.0 / GAIN)
}
