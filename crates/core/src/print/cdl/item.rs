//! One element in the `data:` section: `_`, a date, a formatted number, or plain.

use super::c_format::CFormat;
use super::fill::FillValue;
use crate::model::{Type, Values};
use crate::print::element::ElementWriter;
use crate::time::TimeFormat;

/// The look of elements that are not the fill value.
pub enum Style<'a> {
    /// As [`ElementWriter`] prints them.
    Plain,
    /// As dates.
    Times(&'a TimeFormat),
    /// As the variable's `C_format` says.
    Format(CFormat),
}

/// The format of a variable's elements.
pub struct ItemFormat<'a> {
    element: ElementWriter<'a>,
    ty: Type,
    size: usize,
    fill: FillValue,
    style: Style<'a>,
}

impl<'a> ItemFormat<'a> {
    /// The format of a variable of type `ty` with this fill value.
    pub fn new(element: ElementWriter<'a>, ty: Type, fill: FillValue, style: Style<'a>) -> Self {
        Self {
            element,
            ty,
            size: element.schema.type_size(ty).max(1),
            fill,
            style,
        }
    }

    /// Bytes of an element.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Appends the element `bytes`. `values` contains its heap data.
    pub fn push(&self, out: &mut Vec<u8>, bytes: &[u8], values: &Values) {
        if self.fill.matches(bytes, values, &self.element) {
            out.push(b'_');
            return;
        }
        let done = match &self.style {
            Style::Plain => false,
            Style::Times(times) => times.push_element(out, self.ty, bytes),
            Style::Format(format) => format.push(out, self.ty, bytes),
        };
        if !done {
            self.element.push(out, self.ty, bytes, values);
        }
    }
}
