//! Implements sources and sinks for references, boxes and shared pointers to them.

use std::io;
use std::sync::Arc;

use super::byte_sink::ByteSink;
use super::byte_source::{ByteSource, ReadRequest};

/// Forwards every function. A default would hide a faster implementation of the target.
macro_rules! forward_source {
    ($pointer:ty) => {
        impl<T: ByteSource + ?Sized> ByteSource for $pointer {
            fn size(&self) -> io::Result<Option<u64>> {
                (**self).size()
            }

            fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
                (**self).read_exact_at(offset, buf)
            }

            fn read_many_at(&self, reads: &mut [ReadRequest<'_>]) -> io::Result<()> {
                (**self).read_many_at(reads)
            }

            fn readahead(&self) -> usize {
                (**self).readahead()
            }

            fn next_data(&self, offset: u64) -> io::Result<u64> {
                (**self).next_data(offset)
            }
        }
    };
}

forward_source!(&T);
forward_source!(Box<T>);
forward_source!(Arc<T>);

impl<T: ByteSink + ?Sized> ByteSink for Arc<T> {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        (**self).write_all_at(offset, data)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        (**self).set_size(size)
    }

    fn sync(&self) -> io::Result<()> {
        (**self).sync()
    }
}
