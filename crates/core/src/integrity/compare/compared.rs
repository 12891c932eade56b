//! [`Compared`]: how much was compared, and how.

use std::fmt;

/// What was compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compared {
    /// Number of variables.
    pub variables: u64,
    /// Number of chunks whose stored bytes are the same on both sides.
    pub chunks: u64,
    /// Number of these chunks that were to be decoded and were not, for lack of a filter or of memory.
    pub undecoded: u64,
    /// Number of elements whose values were compared.
    pub values: u64,
}

impl Compared {
    /// Adds what was compared elsewhere.
    pub fn add(&mut self, other: Self) {
        self.variables += other.variables;
        self.chunks += other.chunks;
        self.undecoded += other.undecoded;
        self.values = self.values.saturating_add(other.values);
    }
}

/// A clause: "compared 2 variables: 12 chunks by their bytes and 500 values".
impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: u64, one: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {one}s"),
        };
        let undecoded = match self.undecoded {
            0 => String::new(),
            n => format!(" ({n} not decoded, for lack of a filter or of memory)"),
        };
        let chunks = format!("{} by their bytes{undecoded}", counted(self.chunks, "chunk"));
        let values = counted(self.values, "value");
        write!(f, "compared {}: ", counted(self.variables, "variable"))?;
        match (self.chunks, self.values) {
            (0, _) => f.write_str(&values),
            (_, 0) => f.write_str(&chunks),
            _ => write!(f, "{chunks} and {values}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_line() {
        let mut all = Compared {
            variables: 1,
            ..Compared::default()
        };
        assert_eq!(all.to_string(), "compared 1 variable: 0 values");
        all.add(Compared {
            variables: 1,
            chunks: 12,
            ..Compared::default()
        });
        assert_eq!(all.to_string(), "compared 2 variables: 12 chunks by their bytes");
        all.add(Compared {
            undecoded: 2,
            values: 500,
            ..Compared::default()
        });
        let told = "compared 2 variables: 12 chunks by their bytes (2 not decoded, for lack of a filter or of memory) and 500 values";
        assert_eq!(all.to_string(), told);
    }
}
