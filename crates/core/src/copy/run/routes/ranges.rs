//! Copying bytes of contiguous storage.

use crate::chunk::{resize, swap_units};
use crate::copy::geometry::swap_between;
use crate::copy::run::context::Context;
use crate::copy::run::input_access::InputAccess;
use crate::copy::run::worker::Worker;
use crate::copy::task::Variable;
use crate::error::{Error, Result};
use crate::store::ByteRange;

impl Worker {
    /// Copies `length` bytes from byte `offset` on. Returns their number.
    pub fn bytes(&mut self, context: &Context, var: &Variable, offset: u64, length: u64) -> Result<u64> {
        let source = InputAccess::new(&context.terms.readers, var.input());
        let swap = swap_between(source.layout(), &context.terms.plans[var.out.0].layout);
        let size = usize::try_from(length).map_err(|_| Error::Internal("a range too long".into()))?;
        let range = ByteRange { offset, length: size };
        self.read += length;
        if let Some(mut bytes) = self.fetched.take_range(source.id(), range) {
            swap_units(&mut bytes, swap);
            var.quantize_range(&mut bytes, offset);
            context.sink.write_range(var, offset, &bytes)?;
            return Ok(length);
        }
        if self.decoded.len() < size {
            resize(&mut self.decoded, size)?;
        }
        let buffer = &mut self.decoded[..size];
        let read = source.open()?.read_range(source.var(), offset, buffer);
        read.map_err(|e| source.named(e))?;
        swap_units(buffer, swap);
        var.quantize_range(buffer, offset);
        context.sink.write_range(var, offset, buffer)?;
        Ok(length)
    }
}
