//! [`Array`]: an array that is stored in chunks, and these in blocks, as the metalayer `b2nd` tells.

/// Maximum number of dimensions.
pub const MAX_DIMENSIONS: usize = 16;

/// The shapes of an array, of its chunks and of their blocks, in elements, slowest dimension first. A chunk is stored with
/// whole blocks, and the array with whole chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    shape: Vec<u64>,
    chunk: Vec<u64>,
    block: Vec<u64>,
}

/// Bytes of an array of this shape.
fn bytes(shape: impl IntoIterator<Item = u64>, element_size: usize) -> Option<usize> {
    let sizes = shape.into_iter().map(|size| usize::try_from(size).ok());
    sizes
        .into_iter()
        .try_fold(element_size, |product, size| product.checked_mul(size?))
}

/// The place of number `number` in a grid of this shape.
fn place(mut number: u64, grid: &[u64], at: &mut [u64]) {
    for (at, size) in at.iter_mut().zip(grid).rev() {
        (*at, number) = (number % size, number / size);
    }
}

impl Array {
    /// The array with these shapes; `None` if they are impossible.
    pub fn new(shape: Vec<u64>, chunk: Vec<u64>, block: Vec<u64>) -> Option<Self> {
        let rank = shape.len();
        let fits = |(block, chunk): (&u64, &u64)| (1..=*chunk).contains(block);
        let possible = (1..=MAX_DIMENSIONS).contains(&rank)
            && chunk.len() == rank
            && block.len() == rank
            && shape.iter().all(|size| *size > 0)
            && chunk.iter().all(|size| u32::try_from(*size).is_ok())
            && block.iter().zip(&chunk).all(fits);
        possible.then_some(Self { shape, chunk, block })
    }

    /// The shape of the array.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The shape of chunks.
    pub fn chunk(&self) -> &[u64] {
        &self.chunk
    }

    /// The shape of blocks.
    pub fn block(&self) -> &[u64] {
        &self.block
    }

    /// Bytes of the array. `None` on overflow.
    pub fn bytes(&self, element_size: usize) -> Option<usize> {
        bytes(self.shape.iter().copied(), element_size)
    }

    /// Bytes of a block. `None` on overflow.
    pub fn block_bytes(&self, element_size: usize) -> Option<usize> {
        bytes(self.block.iter().copied(), element_size)
    }

    /// Bytes of a chunk with whole blocks. `None` on overflow.
    pub fn chunk_bytes(&self, element_size: usize) -> Option<usize> {
        let padded = self.chunk.iter().zip(&self.block);
        bytes(
            padded.map(|(chunk, block)| chunk.next_multiple_of(*block)),
            element_size,
        )
    }

    /// Chunks in each dimension.
    fn chunks(&self) -> Vec<u64> {
        let sizes = self.shape.iter().zip(&self.chunk);
        sizes.map(|(shape, chunk)| shape.div_ceil(*chunk)).collect()
    }

    /// Number of chunks. `None` on overflow.
    pub fn chunk_count(&self) -> Option<usize> {
        bytes(self.chunks(), 1)
    }

    /// Calls `copy` for each run of elements that block `block` of chunk `chunk` has in the array: with the first
    /// element's place in the array, its place in the block, and the number of elements.
    pub fn each_run(&self, chunk: usize, block: usize, mut copy: impl FnMut(usize, usize, usize)) {
        let rank = self.shape.len();
        let (mut chunk_at, mut block_at) = ([0; MAX_DIMENSIONS], [0; MAX_DIMENSIONS]);
        place(chunk as u64, &self.chunks(), &mut chunk_at[..rank]);
        let sizes = self.chunk.iter().zip(&self.block);
        let blocks: Vec<u64> = sizes.map(|(chunk, block)| chunk.div_ceil(*block)).collect();
        place(block as u64, &blocks, &mut block_at[..rank]);
        // The part of the block that is in the array.
        let (mut start, mut extent) = ([0; MAX_DIMENSIONS], [0; MAX_DIMENSIONS]);
        for axis in 0..rank {
            let in_chunk = block_at[axis] * self.block[axis];
            start[axis] = chunk_at[axis] * self.chunk[axis] + in_chunk;
            let left =
                (self.chunk[axis].saturating_sub(in_chunk)).min(self.shape[axis].saturating_sub(start[axis]));
            extent[axis] = self.block[axis].min(left);
            if extent[axis] == 0 {
                return;
            }
        }
        // Dimensions that are whole in both join the run.
        let mut last = rank - 1;
        let mut run = extent[last];
        while last > 0 && extent[last] == self.block[last] && extent[last] == self.shape[last] {
            last -= 1;
            run *= extent[last];
        }
        let mut at = [0u64; MAX_DIMENSIONS];
        loop {
            let (mut in_array, mut in_block) = (0, 0);
            for axis in 0..rank {
                in_array = in_array * self.shape[axis] + start[axis] + at[axis];
                in_block = in_block * self.block[axis] + at[axis];
            }
            copy(in_array as usize, in_block as usize, run as usize);
            let mut axis = last;
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                at[axis] += 1;
                if at[axis] < extent[axis] {
                    break;
                }
                at[axis] = 0;
            }
        }
    }
}
