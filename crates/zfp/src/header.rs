//! [`Header`]: what a zfp stream holds, and how. Its words are those of `zfp_write_header` with all three parts.

use crate::bit_writer::BitWriter;

/// Maximum number of dimensions.
pub const MAX_DIMENSIONS: usize = 4;

/// Maximum number of bit planes: `ZFP_MAX_PREC`.
pub const MAX_PRECISION: u32 = 64;

/// Least and most bits of a block without limit, and the exponent without limit: `ZFP_MIN_BITS`, `ZFP_MAX_BITS`,
/// `ZFP_MIN_EXP`.
const MIN_BITS: u32 = 1;
const MAX_BITS: u32 = 16658;
const MIN_EXPONENT: i32 = -1074;

/// The first word: `zfp`, and version 5 of the codec.
const MAGIC: u32 = u32::from_le_bytes(*b"zfp\x05");

/// Bits of the type, of the number of dimensions, and of the sizes together.
const TYPE_BITS: u32 = 2;
const SIZE_BITS: u32 = 48;
const META_BITS: u32 = 2 * TYPE_BITS + SIZE_BITS;

/// The short form of a mode has 12 bits. If all are set, 52 more follow.
const SHORT_BITS: u32 = 12;
const LONG: u64 = (1 << SHORT_BITS) - 1;

/// Bits of a header whose mode has the short form, and the long one.
const HEADER_BITS: u32 = 32 + META_BITS + SHORT_BITS;
const LONG_HEADER_BITS: u32 = 32 + META_BITS + 64;

/// First values of the short form for a precision and for an exponent. Between them is the reversible mode.
const PRECISION: u64 = 2048;
const REVERSIBLE: u64 = PRECISION + 128;
const ACCURACY: u64 = REVERSIBLE + 1;

/// Added to the exponent in the long form.
const EXPONENT_BIAS: i32 = 16495;

/// The type of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Signed integers of 32 bits.
    Int32,
    /// Signed integers of 64 bits.
    Int64,
    /// IEEE 754, 32 bits.
    Float,
    /// IEEE 754, 64 bits.
    Double,
}

impl Scalar {
    /// All types, each at the place that is its code in a header.
    const ALL: [Self; 4] = [Self::Int32, Self::Int64, Self::Float, Self::Double];

    /// Size of a number, in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::Int32 | Self::Float => 4,
            Self::Int64 | Self::Double => 8,
        }
    }

    /// Bits with which a block of numbers begins, other than in the reversible mode: whether all are zero, and their
    /// exponent.
    fn first_bits(self) -> u32 {
        match self {
            Self::Int32 | Self::Int64 => 0,
            Self::Float => 1 + 8,
            Self::Double => 1 + 11,
        }
    }
}

/// Limits on the encoding of a block: the four parameters of zfp's expert mode, which make all other modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mode {
    /// Least number of bits.
    pub min_bits: u32,
    /// Most bits.
    pub max_bits: u32,
    /// Most bit planes.
    pub max_precision: u32,
    /// Exponent of the lowest bit plane. Below −1074, encoding is reversible.
    pub min_exponent: i32,
}

impl Mode {
    const UNLIMITED: Self = Self {
        min_bits: MIN_BITS,
        max_bits: MAX_BITS,
        max_precision: MAX_PRECISION,
        min_exponent: MIN_EXPONENT,
    };

    /// Nothing is lost.
    pub const REVERSIBLE: Self = Self {
        min_exponent: MIN_EXPONENT - 1,
        ..Self::UNLIMITED
    };

    /// A fixed number of bits for each number; fractions are allowed.
    pub fn rate(rate: f64, scalar: Scalar, dimensions: usize) -> Self {
        let numbers = (1u32 << (2 * dimensions.min(MAX_DIMENSIONS))) as f64;
        // A conversion keeps within the range of the target.
        let bits = ((numbers * rate + 0.5).floor() as u32).max(scalar.first_bits());
        Self {
            min_bits: bits,
            max_bits: bits,
            ..Self::UNLIMITED
        }
    }

    /// A fixed number of bit planes, at most [`MAX_PRECISION`]; 0 is all.
    pub fn precision(planes: u32) -> Self {
        let max_precision = match planes {
            0 => MAX_PRECISION,
            planes => planes.min(MAX_PRECISION),
        };
        Self {
            max_precision,
            ..Self::UNLIMITED
        }
    }

    /// No number differs by more than `tolerance`; 0 is as near as zfp's lossy encoding comes.
    pub fn accuracy(tolerance: f64) -> Self {
        if tolerance.is_nan() || tolerance <= 0.0 {
            return Self::UNLIMITED;
        }
        // The exponent field, or for subnormal numbers the place of the highest bit.
        let bits = tolerance.to_bits();
        let min_exponent = match (bits >> 52) as i32 {
            0 => MIN_EXPONENT + 63 - bits.leading_zeros() as i32,
            exponent => exponent - 1023,
        };
        Self {
            min_exponent,
            ..Self::UNLIMITED
        }
    }

    /// True if nothing is lost.
    pub fn is_reversible(&self) -> bool {
        self.min_exponent < MIN_EXPONENT
    }

    /// The mode as a number, short or long: `zfp_stream_mode`.
    fn encoded(&self) -> u64 {
        let unlimited_bits = self.min_bits <= MIN_BITS && self.max_bits >= MAX_BITS;
        let all_planes = self.max_precision >= MAX_PRECISION;
        let short = if *self == Self::UNLIMITED {
            None
        } else if self.min_bits == self.max_bits && all_planes && self.min_exponent == MIN_EXPONENT {
            (1..=PRECISION)
                .contains(&self.max_bits.into())
                .then(|| u64::from(self.max_bits) - 1)
        } else if !unlimited_bits {
            None
        } else if self.min_exponent == MIN_EXPONENT {
            Some(PRECISION + u64::from(self.max_precision.clamp(1, 128)) - 1)
        } else if !all_planes {
            None
        } else if self.is_reversible() {
            Some(REVERSIBLE)
        } else {
            let above = u64::from(self.min_exponent.abs_diff(MIN_EXPONENT));
            Some(ACCURACY + above).filter(|short| *short < LONG)
        };
        let field = |value: u32, most: u32| u64::from(value.clamp(1, most) - 1);
        short.unwrap_or_else(|| {
            let exponent = self.min_exponent.saturating_add(EXPONENT_BIAS).clamp(0, 0x7fff);
            let mut mode = u64::from(exponent.unsigned_abs());
            mode = mode << 7 | field(self.max_precision, 0x80);
            mode = mode << 15 | field(self.max_bits, 0x8000);
            mode = mode << 15 | field(self.min_bits, 0x8000);
            mode << SHORT_BITS | LONG
        })
    }

    /// The mode of a number: `zfp_stream_set_mode`. `None` for limits that contradict each other.
    fn decoded(mode: u64) -> Option<Self> {
        let short = (mode & LONG) as u32;
        Some(match mode & LONG {
            LONG => {
                let field = |at: u32, bits: u32| (mode >> at) as u32 & ((1 << bits) - 1);
                let decoded = Self {
                    min_bits: field(12, 15) + 1,
                    max_bits: field(27, 15) + 1,
                    max_precision: field(42, 7) + 1,
                    min_exponent: field(49, 15) as i32 - EXPONENT_BIAS,
                };
                let possible = decoded.min_bits <= decoded.max_bits && decoded.max_precision <= MAX_PRECISION;
                return possible.then_some(decoded);
            }
            0..PRECISION => Self {
                min_bits: short + 1,
                max_bits: short + 1,
                ..Self::UNLIMITED
            },
            PRECISION..REVERSIBLE => {
                let planes = short - PRECISION as u32 + 1;
                if planes > MAX_PRECISION {
                    return None;
                }
                Self::precision(planes)
            }
            REVERSIBLE => Self::REVERSIBLE,
            _ => Self {
                min_exponent: short as i32 - ACCURACY as i32 + MIN_EXPONENT,
                ..Self::UNLIMITED
            },
        })
    }
}

/// What a stream holds, and how it is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    scalar: Scalar,
    dimensions: usize,
    /// The sizes, fastest dimension first; 1 after the last dimension.
    sizes: [usize; MAX_DIMENSIONS],
    mode: Mode,
}

impl Header {
    /// An array of such sizes, fastest dimension first, and its encoding. `None` if the number of dimensions is not 1
    /// to [`MAX_DIMENSIONS`], if a size is 0, or if one has more bits than a header holds: 32 for one dimension, else
    /// 48 divided by the number of dimensions.
    pub fn new(scalar: Scalar, sizes: &[u64], mode: Mode) -> Option<Self> {
        let dimensions = sizes.len();
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return None;
        }
        let mut all = [1; MAX_DIMENSIONS];
        for (size, given) in all.iter_mut().zip(sizes) {
            let fits = *given > 0 && given - 1 < 1 << size_bits(dimensions).min(32);
            *size = usize::try_from(*given).ok().filter(|_| fits)?;
        }
        Some(Self {
            scalar,
            dimensions,
            sizes: all,
            mode,
        })
    }

    /// Reads a header from its words. `None` if they are not one of this version of zfp.
    pub fn parse(words: &[u32]) -> Option<Self> {
        let [magic, low, high, rest @ ..] = words else {
            return None;
        };
        if *magic != MAGIC {
            return None;
        }
        let both = u64::from(*high) << 32 | u64::from(*low);
        let mut mode = both >> META_BITS;
        if mode == LONG {
            let [low, high, ..] = rest else {
                return None;
            };
            mode |= (u64::from(*high) << 32 | u64::from(*low)) << SHORT_BITS;
        }
        let scalar = Scalar::ALL[(both & 3) as usize];
        let dimensions = (both >> TYPE_BITS & 3) as usize + 1;
        let bits = size_bits(dimensions);
        let mut sizes = both >> (2 * TYPE_BITS) & ((1 << SIZE_BITS) - 1);
        let mut all = [0; MAX_DIMENSIONS];
        for size in &mut all[..dimensions] {
            *size = (sizes & ((1 << bits) - 1)) + 1;
            sizes >>= bits;
        }
        Self::new(scalar, &all[..dimensions], Mode::decoded(mode)?)
    }

    /// The words of the header: 3, or 5 for a mode in long form.
    pub fn words(&self) -> Vec<u32> {
        let bits = size_bits(self.dimensions);
        let sizes = &self.sizes[..self.dimensions];
        let sizes = sizes
            .iter()
            .rev()
            .fold(0, |all, size| all << bits | (*size as u64 - 1));
        let mode = self.mode.encoded();
        let meta = (sizes << TYPE_BITS | (self.dimensions as u64 - 1)) << TYPE_BITS | self.scalar as u64;
        let both = mode << META_BITS | meta;
        let mut words = vec![MAGIC, both as u32, (both >> 32) as u32];
        if mode & LONG == LONG {
            let rest = mode >> SHORT_BITS;
            words.extend([rest as u32, (rest >> 32) as u32]);
        }
        words
    }

    /// The header with which a stream begins, and its length in bits. `None` if the stream has none.
    pub fn at_start(stream: &[u8]) -> Option<(Self, u32)> {
        let mut words = [0; 5];
        for (word, bytes) in words.iter_mut().zip(stream.chunks(4)) {
            let mut padded = [0; 4];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u32::from_le_bytes(padded);
        }
        let header = Self::parse(&words)?;
        let bits = match u64::from(words[2]) >> (META_BITS - 32) == LONG {
            true => LONG_HEADER_BITS,
            false => HEADER_BITS,
        };
        (stream.len() >= bits.div_ceil(8) as usize).then_some((header, bits))
    }

    /// Writes the header in front of a stream.
    pub(crate) fn put(&self, out: &mut BitWriter) {
        let mut left = LONG_HEADER_BITS;
        for word in self.words() {
            out.put(word.into(), left.min(32));
            left -= left.min(32);
        }
    }

    /// The type of the numbers.
    pub fn scalar(&self) -> Scalar {
        self.scalar
    }

    /// The sizes, fastest dimension first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes[..self.dimensions]
    }

    /// The sizes of all four dimensions: 1 for those that the array does not have.
    pub(crate) fn all_sizes(&self) -> [usize; MAX_DIMENSIONS] {
        self.sizes
    }

    /// The limits on the encoding.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Size of the array, in bytes; `None` if it exceeds the address space.
    pub fn byte_count(&self) -> Option<usize> {
        let size = self.scalar.size();
        self.sizes
            .iter()
            .try_fold(size, |all, size| all.checked_mul(*size))
            .filter(|size| *size <= isize::MAX as usize)
    }

    /// Number of blocks; `None` if it exceeds the address space.
    pub(crate) fn block_count(&self) -> Option<usize> {
        let blocks = self.sizes.iter().map(|size| size.div_ceil(4));
        blocks.into_iter().try_fold(1usize, usize::checked_mul)
    }

    /// Most bits that the numbers of a block need.
    fn needed_bits(&self) -> usize {
        let numbers = 1usize << (2 * self.dimensions);
        // Bits for the exponent and the precision, a group test for each number, and the bit planes.
        32 + numbers + numbers * 8 * self.scalar.size()
    }

    /// Most bits that an encoder makes of a block. `None` if the limits are such that zfp would not keep to them, or
    /// make streams several times as long as the array.
    pub(crate) fn block_bits(&self) -> Option<usize> {
        let (least, needed) = (self.mode.min_bits as usize, self.needed_bits());
        let first = self.scalar.first_bits().max(1);
        (self.mode.max_bits >= first && least <= 4 * needed).then(|| needed.max(least))
    }

    /// Most bytes of a stream of the array.
    pub fn max_stream(&self) -> usize {
        let blocks = self.block_count().unwrap_or(usize::MAX);
        // Whole words of eight bytes.
        let bits = self.needed_bits().max(self.mode.min_bits as usize);
        (blocks.saturating_mul(bits) / 8).saturating_add(8)
    }
}

/// Bits of each size in a header.
fn size_bits(dimensions: usize) -> u32 {
    SIZE_BITS / dimensions as u32
}
