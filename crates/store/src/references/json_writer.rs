//! [`JsonReferenceOutput`]: kerchunk's references as JSON, version 1.
//!
//! ```text
//! {"version":1,"refs":{
//! ".zgroup":"{\"zarr_format\":2}",
//! "v/0.0":["/data/a.nc",7596,31],
//! "v/0.1":"base64:AAAA"
//! }}
//! ```
//!
//! Specification: kerchunk, "References specification", version 1. There are no templates and nothing is generated, as not all
//! readers know them. Text is written as it comes, so that memory does not grow with the number of references.

use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::base64;
use super::json_string::push_string;
use super::reference::Reference;
use crate::keys::key::check_key;
use crate::zst::zst_writer::ZstWriter;
use crate::{KeyOutput, Output, ValueWriter};

/// Bytes of text that are collected before they are written.
const BUFFER: usize = 1 << 20;

/// A file of references that is being written.
pub struct JsonReferenceOutput {
    output: Arc<dyn Output>,
    text: Mutex<Text>,
}

/// The text so far.
struct Text {
    /// What is not written yet.
    buffer: String,
    /// Bytes of the output so far.
    written: u64,
    /// Compresses the text; `None` for plain text.
    zst: Option<Box<ZstWriter>>,
    is_first: bool,
}

impl JsonReferenceOutput {
    /// Begins a file of references, compressed as `.zst` files are or not.
    ///
    /// # Errors
    /// If there is no memory to compress.
    pub fn create(output: Arc<dyn Output>, compressed: bool) -> io::Result<Self> {
        let zst = compressed.then(ZstWriter::new).transpose()?;
        Ok(Self {
            output,
            text: Mutex::new(Text {
                buffer: "{\"version\":1,\"refs\":{".to_owned(),
                written: 0,
                zst: zst.map(Box::new),
                is_first: true,
            }),
        })
    }

    fn text(&self) -> MutexGuard<'_, Text> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a key, and its value by `push`.
    fn add(&self, key: &str, push: impl FnOnce(&mut String)) -> io::Result<()> {
        check_key(key)?;
        let mut text = self.text();
        let comma = match std::mem::take(&mut text.is_first) {
            true => "\n",
            false => ",\n",
        };
        text.buffer.push_str(comma);
        push_string(&mut text.buffer, key);
        text.buffer.push(':');
        push(&mut text.buffer);
        match text.buffer.len() >= BUFFER {
            true => text.write(&*self.output),
            false => Ok(()),
        }
    }
}

impl Text {
    /// Writes what is collected.
    fn write(&mut self, output: &dyn Output) -> io::Result<()> {
        let compressed;
        let bytes = match &mut self.zst {
            Some(zst) => {
                compressed = zst.add(self.buffer.as_bytes())?;
                compressed.as_slice()
            }
            None => self.buffer.as_bytes(),
        };
        output.write_all_at(self.written, bytes)?;
        self.written += bytes.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the end.
    fn finish(&mut self, output: &dyn Output) -> io::Result<()> {
        self.buffer.push_str("\n}}\n");
        self.write(output)?;
        if let Some(zst) = self.zst.take() {
            let end = zst.finish()?;
            output.write_all_at(self.written, &end)?;
            self.written += end.len() as u64;
        }
        output.set_size(self.written)
    }
}

impl KeyOutput for JsonReferenceOutput {
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.add(key, |text| {
            text.push_str("\"base64:");
            text.push_str(&base64::encode(value));
            text.push('"');
        })
    }

    fn takes_references(&self) -> bool {
        true
    }

    fn put_reference(&self, key: &str, reference: &Reference) -> io::Result<()> {
        let stored = match reference {
            Reference::Inline(value) => return self.put(key, value),
            Reference::Stored(stored) => stored,
        };
        self.add(key, |text| {
            text.push('[');
            push_string(text, &stored.object);
            if let Some((offset, size)) = stored.range {
                // A string takes any text.
                let _ = write!(text, ",{offset},{size}");
            }
            text.push(']');
        })
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        let document = str::from_utf8(value).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        self.add(key, |text| push_string(text, document))
    }

    fn create(&self, _: &str) -> io::Result<Box<dyn ValueWriter>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn staged(&self, _: &str) -> io::Result<Option<Vec<u8>>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn staged_keys(&self, _: &str) -> io::Result<Vec<String>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn publish(&self) -> io::Result<()> {
        self.text().finish(&*self.output)?;
        self.output.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryOutput;
    use crate::references::StoredRange;

    fn stored(range: Option<(u64, u64)>) -> Reference {
        Reference::Stored(StoredRange {
            object: "/d/a \"b\".nc".into(),
            range,
            version: None,
        })
    }

    fn written(compressed: bool) -> Arc<MemoryOutput> {
        let memory = Arc::new(MemoryOutput::new());
        let json = JsonReferenceOutput::create(memory.clone(), compressed).unwrap();
        json.put_last(".zgroup", b"{\n\"zarr_format\": 2}").unwrap();
        json.put_reference("v/0.0", &stored(Some((7596, 31)))).unwrap();
        json.put_reference("v/0.1", &stored(None)).unwrap();
        json.put("v/1.0", &[1, 2]).unwrap();
        json.publish().unwrap();
        memory
    }

    const EXPECTED: &str = concat!(
        "{\"version\":1,\"refs\":{\n",
        "\".zgroup\":\"{\\n\\\"zarr_format\\\": 2}\",\n",
        "\"v/0.0\":[\"/d/a \\\"b\\\".nc\",7596,31],\n",
        "\"v/0.1\":[\"/d/a \\\"b\\\".nc\"],\n",
        "\"v/1.0\":\"base64:AQI=\"\n",
        "}}\n"
    );

    #[test]
    fn references_are_text_in_the_order_of_calls() {
        assert_eq!(String::from_utf8(written(false).bytes()).unwrap(), EXPECTED);
    }

    #[test]
    fn text_is_compressed_as_files_are() {
        let memory = written(true);
        let object: Arc<dyn crate::Object> = Arc::new(memory.bytes());
        let content = crate::open_compressed(&object, 1 << 20).unwrap().unwrap();
        let mut text = vec![0; EXPECTED.len()];
        content.object.read_exact_at(0, &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), EXPECTED);
    }
}
