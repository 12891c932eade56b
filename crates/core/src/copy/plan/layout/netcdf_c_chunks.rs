//! The chunk shape that netCDF-C chooses by default.
//!
//! An unlimited dimension gets length 1. The fixed ones are cut in proportion until a chunk takes about
//! [`DEFAULT_CHUNK_BYTES`]. Then each length is lowered so that the last chunk along it is as full as the
//! others. A variable whose only dimension is unlimited gets chunks of 4 KiB. If several dimensions are all
//! unlimited, they get equal lengths.

/// Target size of a chunk, in bytes (netCDF-C's `DEFAULT_CHUNK_SIZE`).
pub const DEFAULT_CHUNK_BYTES: u64 = 16 << 20;

/// Target size, in bytes, of a chunk of a variable whose only dimension is unlimited.
const SINGLE_UNLIMITED_BYTES: u64 = 4096;

/// Size, in bytes, of the largest chunk that HDF5's 32-bit chunk sizes allow.
pub const MAX_CHUNK_BYTES: u64 = u32::MAX as u64;

/// netCDF-C's default chunk shape for elements of `element_size` bytes. `dims` holds (length, unlimited) of each
/// dimension.
pub fn netcdf_c_chunk_shape(element_size: usize, dims: &[(u64, bool)]) -> Vec<u64> {
    let size = element_size.max(1) as u64;
    let unlimited = dims.iter().filter(|(_, unlimited)| *unlimited).count();
    if dims.len() == 1 && unlimited == 1 {
        let bytes = (DEFAULT_CHUNK_BYTES / size).min(SINGLE_UNLIMITED_BYTES);
        return vec![(bytes / size).max(1)];
    }
    if unlimited == dims.len() {
        let length = ((DEFAULT_CHUNK_BYTES as f64 / size as f64).powf(1.0 / dims.len() as f64)) as u64;
        return vec![length.max(1); dims.len()];
    }
    let fixed_elements: f64 = dims.iter().filter(|(_, u)| !u).map(|(n, _)| *n as f64).product();
    let scale = (DEFAULT_CHUNK_BYTES as f64 / (fixed_elements.max(1.0) * size as f64))
        .powf(1.0 / (dims.len() - unlimited) as f64);
    dims.iter()
        .map(|&(length, unlimited)| {
            if unlimited {
                return 1;
            }
            let chunk = ((scale * length as f64 - 0.5) as u64).clamp(1, length.max(1));
            level(length, chunk)
        })
        .collect()
}

/// Lowers a chunk length as far as possible while the same number of chunks still covers `length`.
fn level(length: u64, chunk: u64) -> u64 {
    let chunks = length.div_ceil(chunk);
    if chunks == 0 {
        return chunk;
    }
    chunk - (chunks * chunk - length) / chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_unlimited_dimension_takes_four_kibibytes() {
        assert_eq!(netcdf_c_chunk_shape(8, &[(3, true)]), [512]);
        assert_eq!(netcdf_c_chunk_shape(1, &[(3, true)]), [4096]);
    }

    #[test]
    fn small_variables_are_one_chunk_a_record() {
        assert_eq!(
            netcdf_c_chunk_shape(4, &[(3, true), (10, false), (20, false)]),
            [1, 10, 20]
        );
        assert_eq!(netcdf_c_chunk_shape(4, &[(10, false), (20, false)]), [10, 20]);
    }

    #[test]
    fn large_variables_are_cut_in_proportion() {
        // netCDF-C 4.9.0 chooses this for float(248, 361, 720).
        assert_eq!(
            netcdf_c_chunk_shape(4, &[(248, false), (361, false), (720, false)]),
            [83, 121, 240]
        );
    }

    #[test]
    fn no_length_is_zero() {
        assert_eq!(netcdf_c_chunk_shape(4, &[(0, false), (5, false)]), [1, 5]);
        assert_eq!(netcdf_c_chunk_shape(4, &[(0, true), (0, true)]), [2048, 2048]);
        assert_eq!(netcdf_c_chunk_shape(1 << 30, &[(7, false)]), [1]);
    }
}
