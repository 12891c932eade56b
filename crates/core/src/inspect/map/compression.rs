//! [`Compression`]: classes of how well something is compressed.

/// How well a chunk or a variable is compressed, by bytes in memory for each stored byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compression {
    /// Stored without filters.
    None,
    /// Below 1.25: noise, for its filters.
    Noise,
    /// Below 2.
    Low,
    /// Below 4.
    Middle,
    /// Below 10.
    Good,
    /// Below 100.
    High,
    /// 100 and more: one value nearly everywhere, such as fill.
    Constant,
    /// Never written: it reads as fill.
    Missing,
    /// Elements of variable length: how many bytes they take in memory is not known.
    Unknown,
}

impl Compression {
    /// All classes.
    pub const ALL: [Self; 9] = [
        Self::None,
        Self::Noise,
        Self::Low,
        Self::Middle,
        Self::Good,
        Self::High,
        Self::Constant,
        Self::Missing,
        Self::Unknown,
    ];

    /// The class of `memory` bytes, if these are known, that take `stored` bytes, through filters or not.
    #[expect(clippy::cast_precision_loss, reason = "classes are coarse")]
    pub fn of(memory: Option<u64>, stored: u64, has_filters: bool) -> Self {
        if stored == 0 {
            return Self::Missing;
        }
        if !has_filters {
            return Self::None;
        }
        let Some(memory) = memory else {
            return Self::Unknown;
        };
        match memory as f64 / stored as f64 {
            ratio if ratio < 1.25 => Self::Noise,
            ratio if ratio < 2.0 => Self::Low,
            ratio if ratio < 4.0 => Self::Middle,
            ratio if ratio < 10.0 => Self::Good,
            ratio if ratio < 100.0 => Self::High,
            _ => Self::Constant,
        }
    }

    /// The class in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::None => "no filters",
            Self::Noise => "noise: ratio below 1.25",
            Self::Low => "1.25 to 2",
            Self::Middle => "2 to 4",
            Self::Good => "4 to 10",
            Self::High => "10 to 100",
            Self::Constant => "fill or constant: above 100",
            Self::Missing => "never written",
            Self::Unknown => "ratio not known",
        }
    }
}
