//! Makes a [`Dataset`] of the messages in an object header, and checks that they are consistent.

use crate::chunk_index::ChunkedLayout;
use crate::dataset::Layout;
use crate::dataset::{AllocationTime, Fill, FillValue, Filter};
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::error::{Error, Result};
use crate::messages::dataset::layout::LayoutMessage;
use crate::messages::dataset::{external_files, filter_pipeline};
use crate::object_header::message_type;
use crate::object_header::shared::{Resolved, SharedMessages};
use crate::reader::object::Object;

const WHAT: &str = "dataset";

/// A dataset, apart from its raw data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dataset {
    /// Address of its object header.
    pub address: u64,
    /// Type of its elements.
    pub datatype: Datatype,
    /// Address of the committed datatype, if it has one.
    pub committed: Option<u64>,
    /// Its shape.
    pub dataspace: Dataspace,
    /// Position of its raw data.
    pub layout: Layout,
    /// Value of elements that were never written.
    pub fill: FillValue,
    /// The filters of its chunks, in the file's order.
    pub filters: Vec<Filter>,
}

impl Dataset {
    pub(crate) fn read(shared: &SharedMessages, object: &Object) -> Result<Self> {
        let messages = Messages { shared, object };
        let datatype = messages.need(message_type::DATATYPE, "datatype")?;
        let committed = datatype.committed;
        let datatype = Datatype::decode(&mut datatype.cursor())?;
        let dataspace =
            Dataspace::decode(&mut messages.need(message_type::DATASPACE, "dataspace")?.cursor())?;
        let layout =
            LayoutMessage::decode(&mut messages.need(message_type::LAYOUT, "data layout")?.cursor())?;
        let filters = match messages.find(message_type::FILTER_PIPELINE)? {
            Some(message) => filter_pipeline::decode(&mut message.cursor())?,
            None => Vec::new(),
        };
        let fill = messages.fill(&layout, &datatype)?;
        let layout = messages.layout(layout, &datatype, &dataspace)?;
        Ok(Self {
            address: object.address,
            datatype,
            committed,
            dataspace,
            layout,
            fill,
            filters,
        })
    }
}

/// The messages of a dataset.
struct Messages<'a> {
    shared: &'a SharedMessages,
    object: &'a Object,
}

impl<'a> Messages<'a> {
    fn find(&self, kind: u16) -> Result<Option<Resolved<'a>>> {
        let message = self.object.header.first(kind);
        message.map(|message| self.shared.resolve(message)).transpose()
    }

    fn need(&self, kind: u16, name: &str) -> Result<Resolved<'a>> {
        self.find(kind)?
            .ok_or_else(|| self.damaged(format!("it has no {name} message")))
    }

    fn damaged(&self, why: impl Into<String>) -> Error {
        self.shared.reader.damaged(WHAT, self.object.address, why)
    }

    fn fill(&self, layout: &LayoutMessage, datatype: &Datatype) -> Result<FillValue> {
        // libhdf5's defaults for files without this field.
        let allocation_time = match layout {
            LayoutMessage::Compact(_) => AllocationTime::Early,
            LayoutMessage::Contiguous { .. } => AllocationTime::Late,
            LayoutMessage::Chunked { .. } | LayoutMessage::Virtual { .. } => AllocationTime::Incremental,
        };
        let fill = if let Some(message) = self.find(message_type::FILL_VALUE)? {
            FillValue::decode(&mut message.cursor())?
        } else if let Some(message) = self.find(message_type::OLD_FILL_VALUE)? {
            FillValue::decode_old(&mut message.cursor(), allocation_time)?
        } else {
            FillValue::absent(allocation_time)
        };
        match &fill.value {
            Fill::Defined(value) if value.len() != datatype.size as usize => Err(self.damaged(format!(
                "a fill value of {} bytes where an element has {}",
                value.len(),
                datatype.size
            ))),
            _ => Ok(fill),
        }
    }

    fn layout(&self, message: LayoutMessage, datatype: &Datatype, dataspace: &Dataspace) -> Result<Layout> {
        let element_size = u64::from(datatype.size);
        let size = || {
            let size = dataspace
                .count()
                .and_then(|count| count.checked_mul(element_size));
            size.ok_or_else(|| self.damaged("more bytes of elements than can be counted"))
        };
        match message {
            LayoutMessage::Compact(mut data) => {
                let size = size()?;
                if data.is_empty() {
                    return Ok(Layout::Compact(data));
                }
                if (data.len() as u64) < size {
                    return Err(self.damaged(format!("{} bytes of compact data, not {size}", data.len())));
                }
                data.truncate(size as usize);
                Ok(Layout::Compact(data))
            }
            LayoutMessage::Contiguous { address } => match self.find(message_type::EXTERNAL_FILES)? {
                Some(message) => {
                    size()?;
                    let segments = external_files::decode(&mut message.cursor(), &self.shared.reader)?;
                    Ok(Layout::External(segments))
                }
                None => Ok(Layout::Contiguous {
                    address,
                    size: size()?,
                }),
            },
            LayoutMessage::Chunked {
                dims: mut shape,
                edge_chunks_unfiltered,
                index,
                creation,
            } => {
                let stored_element_size = shape.pop();
                if stored_element_size != Some(element_size) {
                    return Err(self.damaged(format!(
                        "chunks with elements of {} bytes where the datatype has {element_size}",
                        stored_element_size.unwrap_or_default()
                    )));
                }
                if shape.len() != dataspace.dims().len() {
                    return Err(self.damaged(format!(
                        "chunks of {} dimensions in a dataspace of {}",
                        shape.len(),
                        dataspace.dims().len()
                    )));
                }
                let bytes = shape
                    .iter()
                    .try_fold(element_size, |size, length| size.checked_mul(*length));
                if bytes.is_none_or(|bytes| bytes == 0) {
                    return Err(self.damaged("chunks of no size, or of more bytes than can be counted"));
                }
                Ok(Layout::Chunked(ChunkedLayout {
                    shape,
                    element_size,
                    edge_chunks_unfiltered,
                    index,
                    creation,
                }))
            }
            LayoutMessage::Virtual { collection, index } => {
                size()?;
                Ok(Layout::Virtual { collection, index })
            }
        }
    }
}
