//! The four numbers that libhdf5 stores for szip: option mask, pixels per block, bits per pixel, pixels per scanline.

use crate::ChunkType;
use ncutils_model::Endian;

/// Option bit: samples are coded as they are.
pub(super) const ENTROPY_CODING: u32 = 4;
/// Option bit: samples are predicted from the previous sample first.
pub(super) const NEAREST_NEIGHBOUR: u32 = 32;
/// Option bit: little-endian samples.
const LSB: u32 = 8;
/// Option bit: big-endian samples.
const MSB: u32 = 16;
/// Option bit: no header of szip's own.
const RAW: u32 = 128;
/// Option bit: identifiers up to k = 13. It is always set, and libaec ignores it.
const ALLOW_K13: u32 = 1;
/// Option bit: identifiers up to k = 9, for hardware. Never set together with [`ALLOW_K13`].
const CHIP: u32 = 2;

/// Maximum number of pixels in a block that libhdf5 accepts from a user.
const MAX_PIXELS_PER_BLOCK: u32 = 32;
/// Maximum number of pixels in a scanline. A longer row is split.
const MAX_PIXELS_PER_SCANLINE: u64 = 4096;
/// Maximum number of blocks in a scanline.
const MAX_BLOCKS_PER_SCANLINE: u64 = 128;
/// Maximum number of blocks between two reference samples that a decoder must accept.
const MAX_BLOCKS_PER_INTERVAL: u32 = 4096;

/// Parsed parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parameters {
    /// True if samples are predicted from the previous one.
    pub nearest_neighbour: bool,
    /// True if samples are stored most significant byte first.
    pub big_endian: bool,
    /// Samples per block, an even number.
    pub block: usize,
    /// Bits per pixel: 1 to 32, or 64.
    pub bits_per_pixel: u32,
    /// Samples per scanline, without padding.
    pub scanline: usize,
}

impl Parameters {
    /// Parses stored parameters.
    pub fn parse(stored: &[u32]) -> Result<Self, String> {
        let &[mask, block, bits_per_pixel, scanline] = stored else {
            return Err(format!("it has {} parameters instead of 4", stored.len()));
        };
        if block < 2 || block % 2 != 0 || block > 64 {
            return Err(format!("{block} pixels in a block"));
        }
        if !matches!(bits_per_pixel, 1..=32 | 64) {
            return Err(format!("{bits_per_pixel} bits in a pixel"));
        }
        if scanline == 0 || scanline.div_ceil(block) > MAX_BLOCKS_PER_INTERVAL {
            return Err(format!("{scanline} pixels in a scanline"));
        }
        Ok(Self {
            nearest_neighbour: mask & NEAREST_NEIGHBOUR != 0,
            big_endian: mask & MSB != 0,
            block: block as usize,
            bits_per_pixel,
            scanline: scanline as usize,
        })
    }

    /// Number of byte planes into which 32-bit and 64-bit pixels are split. Each byte is then a sample. `None` for
    /// other pixels.
    pub fn planes(&self) -> Option<usize> {
        match self.bits_per_pixel {
            32 => Some(4),
            64 => Some(8),
            _ => None,
        }
    }

    /// Bits per sample.
    pub fn bits_per_sample(&self) -> u32 {
        if self.planes().is_some() {
            8
        } else {
            self.bits_per_pixel
        }
    }

    /// Size of a sample, in bytes.
    pub fn sample_size(&self) -> usize {
        match self.bits_per_sample() {
            ..=8 => 1,
            9..=16 => 2,
            _ => 4,
        }
    }

    /// Size of a pixel, in bytes.
    pub fn pixel_size(&self) -> usize {
        self.planes().unwrap_or(self.sample_size())
    }

    /// Samples per scanline, padded to whole blocks: the interval between reference samples.
    pub fn interval(&self) -> usize {
        self.scanline.next_multiple_of(self.block)
    }
}

/// The parameters that libhdf5 stores (`H5Pset_szip`, then the filter's "set local" callback). `visible` is a user's
/// option mask and pixels per block, or the four numbers that `ncdump -s` of libhdf5's programs prints. Errors continue
/// "filter 4 (szip) …".
pub(super) fn working(visible: &[u32], chunk: &ChunkType) -> Result<Vec<u32>, String> {
    let (mask, block) = match visible {
        // H5Pset_szip changes a user's mask like this.
        [mask, block] => (mask & !(CHIP | LSB | MSB) | ALLOW_K13 | RAW, *block),
        [mask, block, _, _] => (*mask, *block),
        _ => {
            return Err(
                "takes two parameters: 4 (entropy coding) or 32 (nearest neighbour), and pixels per block"
                    .into(),
            );
        }
    };
    if mask & (ENTROPY_CODING | NEAREST_NEIGHBOUR) == 0 {
        return Err("takes 4 (entropy coding) or 32 (nearest neighbour) as its first parameter".into());
    }
    if block < 2 || block % 2 != 0 || block > MAX_PIXELS_PER_BLOCK {
        return Err(format!(
            "takes an even number of pixels per block from 2 to {MAX_PIXELS_PER_BLOCK}, not {block}"
        ));
    }
    set_local(mask, block, chunk, chunk_row(chunk))
}

/// Four stored numbers adapted to other chunks. The coding and the pixels per block are kept. Errors are as for
/// [`working`].
pub(super) fn adapted(stored: &[u32], chunk: &ChunkType) -> Result<Vec<u32>, String> {
    Parameters::parse(stored)?;
    match stored {
        [mask, block, ..] => set_local(*mask, *block, chunk, chunk_row(chunk)),
        _ => Err("has too few parameters".into()),
    }
}

/// The numbers with which netCDF-C encodes chunks in NCZarr, given the option mask and the pixels per block. It makes
/// them as libhdf5 does, but of the array's rows in place of the chunk's. Errors are as for [`working`].
pub(super) fn of_netcdf_c(mask: u32, block: u32, chunk: &ChunkType) -> Result<Vec<u32>, String> {
    let mask = mask & !CHIP | ALLOW_K13 | RAW;
    let stored = set_local(mask, block, chunk, chunk.row.unwrap_or_else(|| chunk_row(chunk)))?;
    Parameters::parse(&stored)?;
    Ok(stored)
}

/// The length of a chunk's rows.
fn chunk_row(chunk: &ChunkType) -> u64 {
    chunk.shape.last().copied().unwrap_or(1)
}

/// The numbers that libhdf5's "set local" callback makes of a valid option mask and pixels per block, for rows of `row`
/// pixels.
fn set_local(mask: u32, block: u32, chunk: &ChunkType, row: u64) -> Result<Vec<u32>, String> {
    let mut mask = mask & !(LSB | MSB);
    mask |= match chunk.byte_order() {
        Some(Endian::Little) => LSB,
        Some(Endian::Big) => MSB,
        None => return Err("only applies to variables of numbers".into()),
    };
    let bits_per_pixel = match chunk.element_size {
        size @ (1 | 2 | 4 | 8) => size as u32 * 8,
        size => return Err(format!("does not apply to elements of {size} bytes")),
    };
    let pixels = chunk
        .shape
        .iter()
        .fold(1u64, |product, length| product.saturating_mul(*length));
    let most = u64::from(block) * MAX_BLOCKS_PER_SCANLINE;
    let scanline = if row >= u64::from(block) {
        if row <= MAX_PIXELS_PER_SCANLINE {
            row.min(most)
        } else {
            most
        }
    } else if pixels >= u64::from(block) {
        // Rows shorter than a block are coded as one long row.
        pixels.min(most)
    } else {
        return Err(format!(
            "cannot make blocks of {block} pixels in chunks of {pixels}"
        ));
    };
    Ok(vec![mask, block, bits_per_pixel, scanline as u32])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NumberClass;

    fn chunk(size: usize, order: Endian, shape: &[u64]) -> ChunkType {
        ChunkType::of_numbers(NumberClass::Signed, size, order, shape)
    }

    /// What h5py with HDF5 2.0 gave for the same.
    #[test]
    fn as_libhdf5_stores_them() {
        use Endian::{Big, Little};
        for (visible, size, order, shape, stored) in [
            ([32, 32], 4, Little, &[1, 361, 80][..], [169, 32, 32, 80]),
            ([32, 32], 4, Little, &[4, 10], [169, 32, 32, 40]),
            ([4, 8], 4, Little, &[4, 10], [141, 8, 32, 10]),
            ([32, 16], 1, Little, &[5000], [169, 16, 8, 2048]),
            ([4, 32], 8, Little, &[5, 4097], [141, 32, 64, 4096]),
            ([4, 8], 8, Little, &[5, 4096], [141, 8, 64, 1024]),
            ([4, 8], 2, Big, &[5, 40], [149, 8, 16, 40]),
            ([36, 8], 4, Little, &[50], [173, 8, 32, 50]),
            ([34, 8], 4, Little, &[50], [169, 8, 32, 50]),
        ] {
            assert_eq!(working(&visible, &chunk(size, order, shape)).unwrap(), stored);
        }
        assert_eq!(
            working(&[169, 32, 32, 80], &chunk(2, Big, &[100])).unwrap(),
            [177, 32, 16, 100]
        );
        // Blocks that libhdf5 does not let a user ask for, but decodes.
        assert_eq!(
            adapted(&[169, 64, 32, 80], &chunk(2, Big, &[100])).unwrap(),
            [177, 64, 16, 100]
        );
        assert!(adapted(&[32, 32], &chunk(2, Big, &[100])).is_err());
    }

    /// The scanlines with which libsz decodes what netCDF-C 4.10 wrote.
    #[test]
    fn as_netcdf_c_computes_them() {
        use Endian::{Big, Little};
        for (given, size, order, shape, row, stored) in [
            ([32, 8], 4, Little, &[10, 40][..], 40, [169, 8, 32, 40]),
            ([4, 8], 4, Little, &[10, 16], 40, [141, 8, 32, 40]),
            ([32, 32], 8, Big, &[5, 40], 40, [177, 32, 64, 40]),
            ([32, 8], 4, Little, &[40, 20], 37, [169, 8, 32, 37]),
            ([32, 8], 8, Big, &[10, 5], 5, [177, 8, 64, 50]),
            ([36, 16], 4, Little, &[30, 30], 40, [173, 16, 32, 40]),
            ([32, 8], 4, Little, &[100], 100_000, [169, 8, 32, 1024]),
        ] {
            let mut chunk = chunk(size, order, shape);
            chunk.row = Some(row);
            assert_eq!(of_netcdf_c(given[0], given[1], &chunk).unwrap(), stored);
        }
        for block in [0, 7, 66] {
            assert!(
                of_netcdf_c(32, block, &chunk(4, Little, &[100])).is_err(),
                "{block}"
            );
        }
        assert!(of_netcdf_c(32, 8, &ChunkType::of_bytes(50)).is_err());
    }

    #[test]
    fn what_libhdf5_refuses() {
        let float = |length| chunk(4, Endian::Little, &[length]);
        for visible in [&[32, 7][..], &[32, 34], &[32, 0], &[0, 8], &[32], &[], &[1, 2, 3]] {
            assert!(working(visible, &float(50)).is_err(), "{visible:?}");
        }
        assert!(working(&[32, 32], &float(10)).is_err());
        assert!(working(&[32, 8], &chunk(16, Endian::Little, &[50])).is_err());
        assert!(working(&[32, 8], &ChunkType::of_bytes(50)).is_err());
    }
}
