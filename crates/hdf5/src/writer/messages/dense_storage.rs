//! The Link Info and Attribute Info messages (specification sections IV.A.2.c and IV.A.2.v).

use crate::CreationOrder;
use crate::writer::bytes::{PutBytes, UNDEFINED};
use crate::writer::object::DenseAddresses;

/// The Link Info message, with the addresses of dense storage if there is any.
pub(crate) fn link_info(links: u64, order: CreationOrder, dense: Option<&DenseAddresses>) -> Vec<u8> {
    info(&links.to_le_bytes(), order, dense)
}

/// The Attribute Info message, with the addresses of dense storage if there is any.
pub(crate) fn attribute_info(
    attributes: u16,
    order: CreationOrder,
    dense: Option<&DenseAddresses>,
) -> Vec<u8> {
    info(&attributes.to_le_bytes(), order, dense)
}

/// `next` is the creation order of the next item.
fn info(next: &[u8], order: CreationOrder, dense: Option<&DenseAddresses>) -> Vec<u8> {
    let mut out = vec![0, order.flags()]; // version
    if order.is_tracked() {
        out.put(next);
    }
    out.put_u64(dense.map_or(UNDEFINED, |d| d.heap));
    out.put_u64(dense.map_or(UNDEFINED, |d| d.name_index));
    if order == CreationOrder::Indexed {
        out.put_u64(dense.map_or(UNDEFINED, |d| d.order_index));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_group_still_tracks_creation_order() {
        let info = |order| link_info(0, order, None);
        assert_eq!(info(CreationOrder::Indexed)[..2], [0, 3]);
        assert_eq!(info(CreationOrder::Indexed).len(), 34);
        assert_eq!(info(CreationOrder::Untracked).len(), 18);
    }
}
