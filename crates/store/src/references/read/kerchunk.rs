//! [`read_kerchunk`]: kerchunk's JSON, of version 0 (an object of keys) and version 1.
//!
//! ```text
//! {"version": 1, "templates": {"u": "s3://b"}, "gen": [rules], "refs": {key: value}}         {key: value}
//! value: "text" | "base64:…" | {a document} | ["{{u}}/object"] | ["object", offset, length]
//! ```
//!
//! See <https://fsspec.github.io/kerchunk/spec.html>.

use std::io::Read;

use super::json_text::JsonText;
use super::table::ReferenceTable;
use super::template::{Template, TemplateNames, Value};
use crate::references::base64;
use crate::references::reference_pool::MOST_TEXT;
use ncutils_model::error::{Error, Result};

/// Most bytes of a key, or of the name of an object.
const LONGEST: usize = 1 << 20;

/// Most references that one file may generate.
const MOST_GENERATED: u64 = 10_000_000;

/// Reads the references of a text. Templates are filled in, and generated references are among them.
///
/// # Errors
/// Text that is no JSON or no references, with its place; templates that are no plain arithmetic.
pub fn read_kerchunk(input: &mut dyn Read) -> Result<ReferenceTable> {
    let mut json = JsonText::new(input);
    let mut found = KerchunkMembers::default();
    // Members of an object that may be of version 0.
    let mut plain = ReferenceTable::default();
    // Why a member is no reference, which counts in version 0 alone.
    let mut wrong = None;
    json.expect(b'{')?;
    let (mut is_first, mut name) = (true, Vec::new());
    while json.next_of(b'}', &mut is_first)? {
        name.clear();
        json.string(&mut name, LONGEST)?;
        json.expect(b':')?;
        match (&name[..], json.token()?) {
            (b"version", Some(b'0'..=b'9')) => found.version = Some(json.integer()?),
            (b"refs", Some(b'{')) => {
                found.has_refs = true;
                references(&mut json, &mut found.table)?;
            }
            (b"templates", Some(b'{')) => templates(&mut json, &mut found.names)?,
            (b"gen", Some(b'[')) => rules(&mut json, &mut found.rules)?,
            (b"gen", _) => return Err(damaged("'gen' is no list")),
            (_, Some(b'"' | b'[' | b'{')) if !found.has_refs => {
                value(&mut json, &name, &mut Vec::new(), &mut plain)?;
            }
            _ => {
                wrong.get_or_insert_with(|| no_reference(&name));
                json.skip()?;
            }
        }
    }
    if json.token()?.is_some() {
        return Err(json.wrong("text follows the references"));
    }
    let mut table = match (found.version, found.has_refs, wrong) {
        (Some(1), ..) | (None, true, _) => found.finish()?,
        (Some(version), ..) => {
            return Err(Error::Unsupported(format!(
                "version {version} of kerchunk's references"
            )));
        }
        (None, false, Some(wrong)) => return Err(wrong),
        (None, false, None) => plain,
    };
    table.finish();
    Ok(table)
}

/// What a file of version 1 has.
#[derive(Default)]
struct KerchunkMembers {
    version: Option<i128>,
    has_refs: bool,
    table: ReferenceTable,
    names: TemplateNames,
    rules: Vec<Rule>,
}

/// A member of `gen`: a reference for each combination of values of its dimensions.
#[derive(Default)]
struct Rule {
    key: String,
    url: String,
    offset: Option<String>,
    length: Option<String>,
    dimensions: Vec<(String, Dimension)>,
}

/// The values of a dimension.
enum Dimension {
    Range { start: i128, stop: i128, step: i128 },
    List(Vec<Value>),
}

impl KerchunkMembers {
    fn finish(mut self) -> Result<ReferenceTable> {
        if !self.names.templates.is_empty() {
            let names = &self.names;
            self.table.change_objects(|object| match object.contains("{{") {
                true => Template::parse(object)?.text(names),
                false => Ok(object.to_owned()),
            })?;
        }
        let mut left = MOST_GENERATED;
        for rule in &self.rules {
            rule.generate(&mut self.names, &mut self.table, &mut left)?;
        }
        Ok(self.table)
    }
}

impl Dimension {
    fn len(&self) -> u64 {
        match self {
            Self::List(values) => values.len() as u64,
            Self::Range { start, stop, step } => {
                let (from, to) = if *step > 0 { (start, stop) } else { (stop, start) };
                // Integers of JSON have 64 bits.
                let count = (to - from).max(0).unsigned_abs().div_ceil(step.unsigned_abs());
                u64::try_from(count).unwrap_or(u64::MAX)
            }
        }
    }

    fn value(&self, at: u64) -> Value {
        match self {
            Self::List(values) => values[at as usize].clone(),
            Self::Range { start, step, .. } => Value::Integer(start + i128::from(at) * step),
        }
    }
}

impl Rule {
    /// Adds its references to `table`, of which at most `left` more may be generated.
    fn generate(&self, names: &mut TemplateNames, table: &mut ReferenceTable, left: &mut u64) -> Result<()> {
        let lengths: Vec<u64> = self.dimensions.iter().map(|(_, values)| values.len()).collect();
        let count = lengths
            .iter()
            .try_fold(1u64, |count, length| count.checked_mul(*length));
        let rest = count.and_then(|count| left.checked_sub(count));
        *left = rest
            .ok_or_else(|| Error::Unsupported(format!("'gen' of more than {MOST_GENERATED} references")))?;
        let (key, url) = (Template::parse(&self.key)?, Template::parse(&self.url)?);
        let number = |text: &Option<String>| text.as_deref().map(Template::parse).transpose();
        let range = match (number(&self.offset)?, number(&self.length)?) {
            (Some(offset), Some(length)) => Some((offset, length)),
            (None, None) => None,
            _ => {
                return Err(damaged(
                    "'gen' has an offset without a length, or a length without an offset",
                ));
            }
        };
        for n in 0..count.unwrap_or(0) {
            // The last dimension changes fastest.
            let mut rest = n;
            names.dimensions.clear();
            for ((name, values), length) in self.dimensions.iter().zip(&lengths).rev() {
                names.dimensions.push((name.clone(), values.value(rest % length)));
                rest /= length;
            }
            let place = match &range {
                Some((offset, length)) => Some((offset.number(names)?, length.number(names)?)),
                None => None,
            };
            table.add_stored(key.text(names)?.as_bytes(), &url.text(names)?, place)?;
        }
        names.dimensions.clear();
        Ok(())
    }
}

fn damaged(what: &str) -> Error {
    Error::Damaged(format!("kerchunk's references: {what}"))
}

fn no_reference(key: &[u8]) -> Error {
    let key = String::from_utf8_lossy(key);
    damaged("neither a text, nor a document, nor a place of an object").in_key(&key)
}

/// Reads an object of keys and their references.
fn references<R: Read>(json: &mut JsonText<R>, table: &mut ReferenceTable) -> Result<()> {
    json.expect(b'{')?;
    let (mut is_first, mut key, mut object) = (true, Vec::new(), Vec::new());
    while json.next_of(b'}', &mut is_first)? {
        key.clear();
        json.string(&mut key, LONGEST)?;
        json.expect(b':')?;
        // VirtualiZarr leaves the number of a scalar's chunk out.
        if key.ends_with(b"/") {
            key.push(b'0');
        }
        value(json, &key, &mut object, table)?;
    }
    Ok(())
}

/// Reads the reference of a key. `object` is a buffer for the name of an object.
fn value<R: Read>(
    json: &mut JsonText<R>,
    key: &[u8],
    object: &mut Vec<u8>,
    table: &mut ReferenceTable,
) -> Result<()> {
    if key.is_empty() || key[0] == b'/' || key.windows(2).any(|two| two == b"//") {
        let told = damaged("a key is a path of names with one slash between two");
        return Err(told.in_key(&String::from_utf8_lossy(key)));
    }
    match json.token()? {
        Some(b'"') => {
            let mut text = Vec::new();
            json.string(&mut text, MOST_TEXT)?;
            let encoded = std::str::from_utf8(&text)
                .ok()
                .and_then(|text| text.strip_prefix("base64:"));
            match encoded.map(base64::decode) {
                None => table.add_inline(key, &text),
                Some(Some(bytes)) => table.add_inline(key, &bytes),
                Some(None) => Err(damaged("a value is no base64").in_key(&String::from_utf8_lossy(key))),
            }
        }
        Some(b'{') => {
            let mut text = Vec::new();
            json.value(&mut text, MOST_TEXT)?;
            table.add_inline(key, &text)
        }
        Some(b'[') => place(json, key, object, table),
        _ => Err(no_reference(key)),
    }
}

/// Reads `["object"]` or `["object", offset, length]`.
fn place<R: Read>(
    json: &mut JsonText<R>,
    key: &[u8],
    object: &mut Vec<u8>,
    table: &mut ReferenceTable,
) -> Result<()> {
    let wrong = |_| no_reference(key);
    json.expect(b'[')?;
    if json.token()? != Some(b'"') {
        return Err(no_reference(key));
    }
    object.clear();
    json.string(object, LONGEST)?;
    let object = str::from_utf8(object).map_err(|_| json.wrong("a string is not UTF-8"))?;
    if json.takes(b']')? {
        return table.add_stored(key, object, None);
    }
    let mut numbers = [0; 2];
    for number in &mut numbers {
        json.expect(b',')?;
        let read = json.integer()?;
        *number = u64::try_from(read).map_err(wrong)?;
    }
    json.expect(b']')?;
    let [offset, length] = numbers;
    match offset.checked_add(length) {
        Some(end) if end < u64::MAX => table.add_stored(key, object, Some((offset, length))),
        _ => Err(no_reference(key)),
    }
}

fn text<R: Read>(json: &mut JsonText<R>) -> Result<String> {
    let mut text = Vec::new();
    json.string(&mut text, LONGEST)?;
    String::from_utf8(text).map_err(|_| json.wrong("a string is not UTF-8"))
}

/// Reads an object of texts.
fn templates<R: Read>(json: &mut JsonText<R>, names: &mut TemplateNames) -> Result<()> {
    json.expect(b'{')?;
    let mut is_first = true;
    while json.next_of(b'}', &mut is_first)? {
        let name = text(json)?;
        json.expect(b':')?;
        let value = text(json)?;
        names.templates.insert(name, value);
    }
    Ok(())
}

/// Reads the list `gen`.
fn rules<R: Read>(json: &mut JsonText<R>, rules: &mut Vec<Rule>) -> Result<()> {
    json.expect(b'[')?;
    let mut is_first = true;
    while json.next_of(b']', &mut is_first)? {
        json.expect(b'{')?;
        let (mut rule, mut is_first_member) = (Rule::default(), true);
        while json.next_of(b'}', &mut is_first_member)? {
            let name = text(json)?;
            json.expect(b':')?;
            match &*name {
                "key" => rule.key = text(json)?,
                "url" => rule.url = text(json)?,
                "offset" => rule.offset = Some(number_or_text(json)?),
                "length" => rule.length = Some(number_or_text(json)?),
                "dimensions" => dimensions(json, &mut rule.dimensions)?,
                other => {
                    return Err(Error::Unsupported(format!(
                        "'gen' with the member '{}'",
                        other.escape_debug()
                    )));
                }
            }
        }
        if rule.key.is_empty() || rule.url.is_empty() {
            return Err(damaged("'gen' has no key or no url"));
        }
        rules.push(rule);
    }
    Ok(())
}

fn number_or_text<R: Read>(json: &mut JsonText<R>) -> Result<String> {
    match json.token()? {
        Some(b'"') => text(json),
        _ => Ok(json.integer()?.to_string()),
    }
}

fn dimensions<R: Read>(json: &mut JsonText<R>, dimensions: &mut Vec<(String, Dimension)>) -> Result<()> {
    json.expect(b'{')?;
    let mut is_first = true;
    while json.next_of(b'}', &mut is_first)? {
        let name = text(json)?;
        json.expect(b':')?;
        let values = match json.token()? {
            Some(b'[') => list(json)?,
            _ => range(json)?,
        };
        dimensions.push((name, values));
    }
    Ok(())
}

/// Reads the values of a dimension.
fn list<R: Read>(json: &mut JsonText<R>) -> Result<Dimension> {
    json.expect(b'[')?;
    let (mut values, mut is_first) = (Vec::new(), true);
    while json.next_of(b']', &mut is_first)? {
        values.push(match json.token()? {
            Some(b'"') => Value::Text(text(json)?),
            _ => Value::Integer(json.integer()?),
        });
    }
    Ok(Dimension::List(values))
}

/// Reads `{"start": 0, "stop": 5, "step": 1}`, of which only `stop` must be there.
fn range<R: Read>(json: &mut JsonText<R>) -> Result<Dimension> {
    let (mut start, mut stop, mut step) = (0, None, 1);
    json.expect(b'{')?;
    let mut is_first = true;
    while json.next_of(b'}', &mut is_first)? {
        let name = text(json)?;
        json.expect(b':')?;
        match &*name {
            "start" => start = json.integer()?,
            "stop" => stop = Some(json.integer()?),
            "step" => step = json.integer()?,
            _ => return Err(damaged("a dimension of 'gen' has start, stop and step alone")),
        }
    }
    match stop {
        Some(stop) if step != 0 => Ok(Dimension::Range { start, stop, step }),
        _ => Err(damaged("a dimension of 'gen' has no stop, or the step 0")),
    }
}

#[cfg(test)]
mod tests;
