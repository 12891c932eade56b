//! libdeflate's encoder, of which each thread keeps one for each level.

use std::cell::RefCell;

use libdeflater::{CompressionLvl, Compressor};

use crate::Outcome;

thread_local! {
    static COMPRESSORS: RefCell<[Option<Compressor>; 13]> = const { RefCell::new([const { None }; 13]) };
}

/// Puts a deflate stream of `input` into `out`, from byte `start` to the end. What is behind `start` is lost.
///
/// `level` is libdeflate's, 0 to 12.
pub(crate) fn libdeflate(level: i32, input: &[u8], start: usize, out: &mut Vec<u8>) -> Outcome {
    COMPRESSORS.with_borrow_mut(|compressors| {
        let slot = compressors.get_mut(level as usize);
        let slot = slot.ok_or_else(|| format!("no level {level}"))?;
        let compressor = match slot {
            Some(compressor) => compressor,
            None => {
                let level = CompressionLvl::new(level).map_err(|_| format!("no level {level}"))?;
                slot.insert(Compressor::new(level))
            }
        };
        out.resize(start + compressor.deflate_compress_bound(input.len()), 0);
        let size = compressor
            .deflate_compress(input, &mut out[start..])
            .map_err(|error| error.to_string())?;
        out.truncate(start + size);
        Ok(())
    })
}
