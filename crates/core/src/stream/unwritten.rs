//! Finds the parts of a variable that were never written, from chunk indexes and holes in sparse files,
//! without reading them.
//!
//! A row of 10¹¹ characters may take a few bytes in a file, because nearly all of it is padding and gives no
//! text. So rows longer than a band are cut where nothing was written:
//!
//! ```text
//! row:    │ chunk │ chunk │ never written ............. │ chunk │ never written │
//! bands:  ├ Read ─────────┼ Zeros ──────────────────────┼ Read ─┼ Zeros ────────┤
//! ```

use super::pieces::Band;
use crate::chunk::ChunkGrid;
use crate::error::Result;
use crate::format::read_region::fill_element;
use crate::format::{Reader, Region, Written, WrittenChunks};
use crate::model::{Storage, VarId, default_fill_value};

/// The written parts of a variable whose unwritten elements are zeros.
pub struct Unwritten<'a> {
    extent: &'a [u64],
    storage: Stored,
}

enum Stored {
    /// These regions; `None` stands for everything.
    Regions(Option<Vec<Region>>),
    /// These chunks.
    Chunks(ChunkGrid, WrittenChunks),
}

impl<'a> Unwritten<'a> {
    /// `None` if unwritten elements are not zeros.
    ///
    /// # Errors
    /// If the chunk index cannot be read.
    pub fn of(reader: &'a dyn Reader, id: VarId) -> Result<Option<Self>> {
        let layout = reader.layout(id);
        let is_zero = |bytes: &[u8]| bytes.iter().all(|b| *b == 0);
        // Past the extent, a variable without a fill value reads as its type's default fill value.
        let default = default_fill_value(reader.schema().var(id).ty);
        if !is_zero(fill_element(layout)) || !default.is_none_or(|fill| is_zero(&fill.bytes)) {
            return Ok(None);
        }
        let storage = match &layout.storage {
            Storage::Chunked { shape } => {
                let grid = ChunkGrid::new(&layout.extent, shape)?;
                let stored = reader.written(id)?.chunks(&grid);
                Stored::Chunks(grid, stored)
            }
            _ => Stored::Regions(match reader.written(id)? {
                Written::Nothing => Some(Vec::new()),
                Written::Regions(regions) => Some(regions),
                Written::All | Written::Chunks(_) => None,
            }),
        };
        Ok(Some(Self {
            extent: &layout.extent,
            storage,
        }))
    }

    /// The first index along the last dimension, at or after that of `at` and below `end`, whose element may
    /// have been written. `end` if there is none.
    fn next_written(&self, at: &[u64], end: u64) -> u64 {
        let Some((column, outer)) = at.split_last() else {
            return 0;
        };
        let Some((length, lengths)) = self.extent.split_last() else {
            return *column;
        };
        if column >= length || outer.iter().zip(lengths).any(|(at, length)| at >= length) {
            return end;
        }
        let next = match &self.storage {
            Stored::Regions(None) => Some(*column),
            Stored::Regions(Some(regions)) => {
                let last = outer.len();
                let meets = |region: &&Region| {
                    let row = (0..last)
                        .all(|d| at[d] >= region.start[d] && at[d] - region.start[d] < region.count[d]);
                    row && region.start[last].saturating_add(region.count[last]) > *column
                };
                let first = |region: &Region| region.start[last].max(*column);
                regions.iter().filter(meets).map(first).min()
            }
            Stored::Chunks(grid, stored) => {
                let coordinates: Vec<u64> = at.iter().zip(grid.chunk()).map(|(at, n)| at / n).collect();
                let here = grid.index(&coordinates);
                let row = grid.counts().last().copied().unwrap_or(1);
                let column_of = |index: u64| index % row.max(1);
                let next = stored.next_from(here);
                next.filter(|next| *next - here < row - column_of(here))
                    .map(|next| column_of(next).saturating_mul(grid.chunk().last().copied().unwrap_or(1)))
                    .map(|first| first.max(*column))
            }
        };
        next.filter(|next| next < length)
            .map_or(end, |next| next.min(end))
    }
}

/// The bands of rows that are longer than a band. Parts that were never written are bands of their own.
pub struct WithoutUnwritten<'a> {
    unwritten: &'a Unwritten<'a>,
    rows: Region,
    /// Most elements of a band that is read.
    length: u64,
    /// Length of a chunk along the row, if bands are to end at chunk borders.
    chunk: Option<u64>,
    next: Option<Vec<u64>>,
}

impl<'a> WithoutUnwritten<'a> {
    /// Cuts `rows`, a region of rows or parts of rows. `chunk` is the shape of chunks (empty if there are
    /// none), `size` the bytes of an element, and `bytes` the upper limit of a band that is read.
    pub fn new(unwritten: &'a Unwritten, rows: Region, chunk: &[u64], size: usize, bytes: u64) -> Self {
        let chunk = if chunk.len() == rows.rank() { chunk } else { &[] };
        let length = (bytes / size.max(1) as u64).max(1);
        Self {
            unwritten,
            length,
            chunk: chunk.last().copied().filter(|n| (1..=length).contains(n)),
            next: (!rows.is_empty() && rows.rank() > 0).then(|| rows.start.clone()),
            rows,
        }
    }
}

impl Iterator for WithoutUnwritten<'_> {
    type Item = Band;

    fn next(&mut self) -> Option<Band> {
        let start = self.next.take()?;
        let last = start.len() - 1;
        let column = start[last];
        let end = self.rows.start[last] + self.rows.count[last];
        let written = self.unwritten.next_written(&start, end);
        let run = written - column;
        // A short unwritten run is not worth a band of its own, unless the row ends with it.
        let is_read = run < self.length && written < end;
        let band_end = match (is_read, self.chunk) {
            (false, _) => written,
            (true, chunk) => {
                let stop = column.saturating_add(self.length).min(end);
                let beyond = chunk.map_or(0, |chunk| stop % chunk);
                if stop < end && stop - beyond > column {
                    stop - beyond
                } else {
                    stop
                }
            }
        };
        let mut after = start.clone();
        after[last] = band_end;
        let mut carry = last;
        while after[carry] == self.rows.start[carry] + self.rows.count[carry] && carry > 0 {
            after[carry] = self.rows.start[carry];
            carry -= 1;
            after[carry] += 1;
        }
        self.next = (after[carry] < self.rows.start[carry] + self.rows.count[carry]).then_some(after);
        Some(if is_read {
            let mut count = vec![1; start.len()];
            count[last] = band_end - column;
            Band::Read(Region { start, count })
        } else {
            Band::Zeros(start, band_end - column)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Result;
    use crate::format::Extensions;
    use crate::format::in_memory::InMemoryReader;
    use crate::model::{DimId, Dimension, Kind, Schema, Type, Values, Variable, VariableLayout};

    /// A `char` variable of which some bytes are stored.
    struct Sparse {
        made: InMemoryReader,
        layout: VariableLayout,
        chunks: Vec<u64>,
        /// The stored bytes. The bytes between them are holes.
        bytes: Vec<u64>,
        is_written: bool,
    }

    impl Sparse {
        fn new(shape: &[u64], storage: Storage) -> Self {
            let mut schema = Schema::new(Kind::Netcdf4);
            for length in shape {
                schema.add_dim(Dimension {
                    name: format!("d{length}"),
                    group: Schema::ROOT,
                    length: *length,
                    unlimited: false,
                });
            }
            schema.add_var(Variable {
                name: "v".into(),
                group: Schema::ROOT,
                ty: Type::Char,
                dims: (0..shape.len()).map(DimId).collect(),
                attributes: Vec::new().into(),
            });
            let made = InMemoryReader::new(schema, vec![Values::default()]);
            let layout = VariableLayout {
                storage,
                ..made.layout(VarId(0)).clone()
            };
            Self {
                made,
                layout,
                chunks: Vec::new(),
                bytes: Vec::new(),
                is_written: true,
            }
        }

        /// The bands as (row, column, length, true if read).
        fn bands(&self, length: u64) -> Vec<(u64, u64, u64, bool)> {
            let unwritten = Unwritten::of(self, VarId(0)).unwrap().unwrap();
            let whole = Region::whole(&self.made.schema().shape(VarId(0)));
            WithoutUnwritten::new(&unwritten, whole, self.layout.chunk_shape(), 1, length)
                .map(|band| match band {
                    Band::Read(region) => (region.start[0], region.start[1], region.count[1], true),
                    Band::Zeros(start, count) => (start[0], start[1], count, false),
                })
                .collect()
        }
    }

    impl Reader for Sparse {
        fn schema(&self) -> &Schema {
            self.made.schema()
        }

        fn layout(&self, _: VarId) -> &VariableLayout {
            &self.layout
        }

        fn written(&self, _: VarId) -> Result<Written> {
            if self.layout.storage != Storage::Contiguous {
                return Ok(Written::Chunks(self.chunks.clone()));
            }
            let regions = self
                .bytes
                .iter()
                .flat_map(|at| Region::range(&self.layout.extent, *at, 1));
            Ok(match self.is_written {
                true => Written::Regions(regions.collect()),
                false => Written::Nothing,
            })
        }

        fn read_range(&self, _: VarId, _: u64, _: &mut [u8]) -> Result<()> {
            unreachable!("nothing is read")
        }

        fn read_region(&self, _: VarId, _: &Region) -> Result<Values> {
            unreachable!("nothing is read")
        }

        fn extensions(&self) -> Extensions<'_> {
            Extensions::NONE
        }
    }

    #[test]
    fn rows_are_cut_where_no_chunk_is() {
        let mut sparse = Sparse::new(&[2, 1000], Storage::Chunked { shape: vec![1, 10] });
        sparse.chunks = vec![0, 1, 50, 51, 99, 150];
        assert_eq!(
            sparse.bands(100),
            [
                (0, 0, 100, true),
                (0, 100, 400, false),
                (0, 500, 100, true),
                (0, 600, 390, false),
                (0, 990, 10, true),
                (1, 0, 500, false),
                (1, 500, 100, true),
                (1, 600, 400, false),
            ]
        );
    }

    /// A chunk that two bands share would be decoded twice.
    #[test]
    fn bands_end_where_chunks_end() {
        let mut sparse = Sparse::new(
            &[1, 50 << 20],
            Storage::Chunked {
                shape: vec![1, 4 << 20],
            },
        );
        sparse.chunks = (0..13).collect();
        let shape = [1, 50 << 20];
        let bytes = crate::stream::bands::Bands::new(&shape, sparse.layout.chunk_shape(), 1).budget_of_all();
        for (_, start, length, is_read) in sparse.bands(bytes) {
            assert!(is_read && start % (4 << 20) == 0);
            assert!(length % (4 << 20) == 0 || start + length == 50 << 20);
        }
    }

    #[test]
    fn what_is_past_the_extent_is_not_read() {
        let mut sparse = Sparse::new(&[3, 100], Storage::Chunked { shape: vec![2, 10] });
        sparse.layout.extent = vec![2, 25];
        sparse.chunks = vec![1];
        assert_eq!(
            sparse.bands(10),
            [
                (0, 0, 10, false),
                (0, 10, 10, true),
                (0, 20, 80, false),
                (1, 0, 10, false),
                (1, 10, 10, true),
                (1, 20, 80, false),
                (2, 0, 100, false),
            ]
        );
    }

    #[test]
    fn holes_are_not_read() {
        let mut sparse = Sparse::new(&[2, 1000], Storage::Contiguous);
        sparse.bytes = vec![300, 1999];
        assert_eq!(
            sparse.bands(100),
            [
                (0, 0, 300, false),
                (0, 300, 100, true),
                (0, 400, 600, false),
                (1, 0, 999, false),
                (1, 999, 1, true),
            ]
        );
        sparse.is_written = false;
        assert_eq!(sparse.bands(100), [(0, 0, 1000, false), (1, 0, 1000, false)]);
    }

    #[test]
    fn other_fill_values_are_read() {
        let mut sparse = Sparse::new(&[2, 1000], Storage::Contiguous);
        sparse.layout.fill.value = Some(Values::from_text("x"));
        assert!(Unwritten::of(&sparse, VarId(0)).unwrap().is_none());
    }
}
