//! [`CodecInput`]: what a codec takes.

/// What a codec takes. Each also fits what takes less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodecInput {
    /// Bytes, whatever they mean.
    Bytes,
    /// The elements of the array, not what another codec makes of them. A new pipeline begins with such codecs.
    Elements,
    /// An array, of which it makes an array. In a chain of version 3 of Zarr it comes before the codec that makes bytes of the
    /// array.
    Array,
    /// An array, each element of which it changes alone. A chain of version 3 of Zarr may have such a codec before a shard: it
    /// makes the same of the shard as of each chunk in it.
    EachElement,
}
