//! [`Number`]: Rust's number types as elements of datasets.

use crate::datatype::{ByteOrder, Datatype};

/// A Rust number type for reading elements of the same kind and size, in either byte order.
pub trait Number: sealed::Sealed + Copy {
    /// The HDF5 datatype of this type.
    #[doc(hidden)]
    fn datatype(order: ByteOrder) -> Datatype;

    /// Decodes the bytes of elements.
    #[doc(hidden)]
    fn decode(bytes: &[u8], order: ByteOrder) -> Vec<Self>;

    /// The byte order of elements of this datatype; `None` for another type.
    #[doc(hidden)]
    fn order(datatype: &Datatype) -> Option<ByteOrder> {
        let orders = [ByteOrder::Little, ByteOrder::Big];
        orders
            .into_iter()
            .find(|order| Self::datatype(*order) == *datatype)
    }
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! number {
    ($($type:ty: |$size:ident, $order:ident| $datatype:expr;)*) => {$(
        impl sealed::Sealed for $type {}

        impl Number for $type {
            fn datatype($order: ByteOrder) -> Datatype {
                let $size = size_of::<Self>() as u32;
                $datatype
            }

            fn decode(bytes: &[u8], order: ByteOrder) -> Vec<Self> {
                let decode = match order {
                    ByteOrder::Big => Self::from_be_bytes,
                    ByteOrder::Little | ByteOrder::Vax => Self::from_le_bytes,
                };
                let (elements, _) = bytes.as_chunks();
                elements.iter().map(|element| decode(*element)).collect()
            }
        }
    )*};
}

number! {
    i8: |size, order| Datatype::integer(size, true, order);
    i16: |size, order| Datatype::integer(size, true, order);
    i32: |size, order| Datatype::integer(size, true, order);
    i64: |size, order| Datatype::integer(size, true, order);
    u8: |size, order| Datatype::integer(size, false, order);
    u16: |size, order| Datatype::integer(size, false, order);
    u32: |size, order| Datatype::integer(size, false, order);
    u64: |size, order| Datatype::integer(size, false, order);
    f32: |size, order| Datatype::ieee(size, order);
    f64: |size, order| Datatype::ieee(size, order);
}
