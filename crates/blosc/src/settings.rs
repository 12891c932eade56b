//! [`Settings`]: how a buffer is compressed.

/// The compressor inside Blosc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compressor {
    /// BloscLZ, Blosc's own.
    BloscLz,
    /// LZ4.
    Lz4,
    /// LZ4 in its mode for smaller output.
    Lz4Hc,
    /// Snappy.
    Snappy,
    /// Zlib.
    Zlib,
    /// Zstandard.
    Zstd,
}

impl Compressor {
    /// All compressors, each at the place that is its code in C-Blosc.
    pub const ALL: [Self; 6] = [
        Self::BloscLz,
        Self::Lz4,
        Self::Lz4Hc,
        Self::Snappy,
        Self::Zlib,
        Self::Zstd,
    ];

    /// The compressor with a code of C-Blosc.
    pub fn of_code(code: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Its code in C-Blosc.
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The compressor that C-Blosc calls `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|compressor| compressor.name() == name)
    }

    /// Its name in C-Blosc.
    pub fn name(self) -> &'static str {
        match self {
            Self::BloscLz => "blosclz",
            Self::Lz4 => "lz4",
            Self::Lz4Hc => "lz4hc",
            Self::Snappy => "snappy",
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
        }
    }
}

/// The reordering of elements before compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shuffle {
    /// Elements stay as they are.
    No,
    /// Bytes of equal significance come together.
    Byte,
    /// Bits of equal significance come together.
    Bit,
}

impl Shuffle {
    /// All reorderings, each at the place that is its code in C-Blosc.
    pub const ALL: [Self; 3] = [Self::No, Self::Byte, Self::Bit];

    /// The reordering with a code of C-Blosc.
    pub fn of_code(code: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Its code in C-Blosc.
    pub fn code(self) -> u32 {
        self as u32
    }
}

/// Parameters of `compress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The compressor.
    pub compressor: Compressor,
    /// The level: 0 stores, [`MAX_LEVEL`](crate::MAX_LEVEL) makes the smallest output. Higher levels count as that.
    pub level: u32,
    /// The reordering of elements.
    pub shuffle: Shuffle,
    /// Size of an element, in bytes. 0 and sizes above [`MAX_TYPE_SIZE`](crate::MAX_TYPE_SIZE) count as 1.
    pub type_size: usize,
    /// Size of a block, in bytes; 0 lets C-Blosc choose.
    pub block_size: usize,
}
