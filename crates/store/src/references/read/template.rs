//! Templates of kerchunk: text with `{{expressions}}` of whole numbers and names, as its specification shows them.
//!
//! ```text
//! "{{u}}_{{(i + 1) * 1000}}" ─► Template: texts and expressions ── TemplateNames: templates, dimensions ─► text
//! ```

use std::collections::BTreeMap;

use ncutils_model::error::{Error, Result};

/// Most levels of parentheses.
const DEEPEST: usize = 32;

/// Most bytes of an expression.
const LONGEST: usize = 512;

/// Most bytes of the text that a template makes.
const LONGEST_TEXT: usize = 1 << 20;

/// Most characters of a template that a message shows.
const SHOWN: usize = 200;

/// The values of names: first dimensions, then templates.
#[derive(Debug, Default)]
pub struct TemplateNames {
    /// Templates by their names. A text with `{{` is a function of what it names.
    pub templates: BTreeMap<String, String>,
    /// Dimensions of generated references, with their values of the moment.
    pub dimensions: Vec<(String, Value)>,
}

/// The value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i128),
    /// A text.
    Text(String),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Integer(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// A text that was parsed.
#[derive(Debug)]
pub struct Template {
    /// The text as it is written, for messages.
    written: String,
    parts: Vec<TemplatePart>,
}

#[derive(Debug)]
enum TemplatePart {
    Text(String),
    Expression(Expression),
}

#[derive(Debug)]
enum Expression {
    Value(Value),
    Name(String),
    /// A template with values for the names in it.
    Call(String, Vec<(String, Expression)>),
    Negative(Box<Expression>),
    Of(char, Box<Expression>, Box<Expression>),
}

impl Template {
    /// Parses a text.
    ///
    /// # Errors
    /// What of Jinja is not supported, by its text.
    pub fn parse(written: &str) -> Result<Self> {
        let (mut parts, mut rest) = (Vec::new(), written);
        for statement in ["{%", "{#"] {
            if written.contains(statement) {
                return Err(unsupported(written, &format!("it has {statement}")));
            }
        }
        while let Some((text, behind)) = rest.split_once("{{") {
            let Some((expression, behind)) = behind.split_once("}}") else {
                return Err(unsupported(written, "an expression does not end"));
            };
            if expression.len() > LONGEST {
                return Err(unsupported(
                    written,
                    &format!("an expression has more than {LONGEST} bytes"),
                ));
            }
            let mut tokens = Tokens {
                rest: expression,
                depth: 0,
            };
            let parsed = tokens.sum().and_then(|parsed| match tokens.peek() {
                None => Ok(parsed),
                Some(_) => Err(format!("'{}' is not understood", tokens.rest)),
            });
            parts.push(TemplatePart::Text(text.to_owned()));
            parts.push(TemplatePart::Expression(
                parsed.map_err(|why| unsupported(written, &why))?,
            ));
            rest = behind;
        }
        parts.push(TemplatePart::Text(rest.to_owned()));
        Ok(Self {
            written: written.to_owned(),
            parts,
        })
    }

    /// The text with the values of its expressions.
    ///
    /// # Errors
    /// A name that has no value; a number that is too large; a text of more than 1 MiB.
    pub fn text(&self, names: &TemplateNames) -> Result<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Text(plain) => text.push_str(plain),
                TemplatePart::Expression(expression) => {
                    let value = expression.value(names);
                    text.push_str(&value.map_err(|why| unsupported(&self.written, &why))?.text());
                }
            }
            // A value may be as long, and named very often.
            if text.len() > LONGEST_TEXT {
                let why = format!("its text has more than {LONGEST_TEXT} bytes");
                return Err(unsupported(&self.written, &why));
            }
        }
        Ok(text)
    }

    /// The whole number that the text is.
    ///
    /// # Errors
    /// Those of [`text`](Self::text); a text that is no number from 0 on.
    pub fn number(&self, names: &TemplateNames) -> Result<u64> {
        let text = self.text(names)?;
        let number = text.trim().parse();
        number.map_err(|_| unsupported(&self.written, &format!("'{text}' is no whole number from 0 on")))
    }
}

fn unsupported(written: &str, why: &str) -> Error {
    Error::Unsupported(format!(
        "the template '{}' ({why}; whole numbers, names, + - * // % and parentheses are possible)",
        written.chars().take(SHOWN).collect::<String>()
    ))
}

impl Expression {
    fn value(&self, names: &TemplateNames) -> Result<Value, String> {
        match self {
            Self::Value(value) => Ok(value.clone()),
            Self::Name(name) => {
                if let Some((_, value)) = names.dimensions.iter().find(|(other, _)| other == name) {
                    return Ok(value.clone());
                }
                match names.templates.get(name) {
                    Some(text) if text.contains("{{") => Err(format!("'{name}' is a function")),
                    Some(text) => Ok(Value::Text(text.clone())),
                    None => Err(format!("'{name}' has no value")),
                }
            }
            Self::Call(name, given) => {
                let text = names.templates.get(name);
                let text = text.ok_or_else(|| format!("there is no template '{name}'"))?;
                let mut dimensions = Vec::with_capacity(given.len());
                for (name, expression) in given {
                    dimensions.push((name.clone(), expression.value(names)?));
                }
                let template = Template::parse(text).map_err(|e| e.to_string())?;
                // It has no names but its own, so it leads to no other template.
                let own = TemplateNames {
                    templates: BTreeMap::new(),
                    dimensions,
                };
                template.text(&own).map(Value::Text).map_err(|e| e.to_string())
            }
            Self::Negative(of) => Self::Value(Value::Integer(0)).with('-', of, names),
            Self::Of(operator, left, right) => left.with(*operator, right, names),
        }
    }

    fn with(&self, operator: char, right: &Self, names: &TemplateNames) -> Result<Value, String> {
        let number = |value: Value| match value {
            Value::Integer(number) => Ok(number),
            Value::Text(text) => Err(format!("'{text}' is a text")),
        };
        let (left, right) = (number(self.value(names)?)?, number(right.value(names)?)?);
        // Python rounds down.
        let floored = |exact: Option<i128>| match exact {
            Some(quotient) if left % right != 0 && (left < 0) != (right < 0) => Some(quotient - 1),
            exact => exact,
        };
        let value = match operator {
            '+' => left.checked_add(right),
            '-' => left.checked_sub(right),
            '*' => left.checked_mul(right),
            '/' => floored(left.checked_div(right)),
            _ => left
                .checked_rem(right)
                .map(|rest| match rest != 0 && (rest < 0) != (right < 0) {
                    true => rest + right,
                    false => rest,
                }),
        };
        let value = value.filter(|value| value.unsigned_abs() <= u128::from(u64::MAX));
        value
            .map(Value::Integer)
            .ok_or_else(|| "a number is too large, or divided by 0".to_owned())
    }
}

/// The tokens of an expression.
struct Tokens<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Tokens<'t> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn takes(&mut self, token: &str) -> bool {
        self.peek();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// The characters that follow as long as `is_part`.
    fn word(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let mut left = self.product()?;
        loop {
            let operator = match () {
                () if self.takes("+") => '+',
                () if self.takes("-") => '-',
                () => return Ok(left),
            };
            left = Expression::Of(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut left = self.factor()?;
        loop {
            let operator = match () {
                () if self.takes("**") => return Err("** is not understood".to_owned()),
                () if self.takes("*") => '*',
                () if self.takes("//") => '/',
                () if self.takes("%") => '%',
                () => return Ok(left),
            };
            left = Expression::Of(operator, Box::new(left), Box::new(self.factor()?));
        }
    }

    fn factor(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it nests more than {DEEPEST} levels"));
        }
        let factor = self.atom();
        self.depth -= 1;
        factor
    }

    fn atom(&mut self) -> Result<Expression, String> {
        match self.peek() {
            Some('-') if self.takes("-") => Ok(Expression::Negative(Box::new(self.factor()?))),
            Some('(') if self.takes("(") => {
                let inner = self.sum()?;
                match self.takes(")") {
                    true => Ok(inner),
                    false => Err("a parenthesis does not end".to_owned()),
                }
            }
            Some(quote @ ('\'' | '"')) => {
                let behind = &self.rest[1..];
                let (text, rest) = behind.split_once(quote).ok_or("a text does not end")?;
                self.rest = rest;
                match text.contains('\\') {
                    true => Err(format!("'{text}' has escapes")),
                    false => Ok(Expression::Value(Value::Text(text.to_owned()))),
                }
            }
            Some('0'..='9') => {
                let digits = self.word(|c| c.is_ascii_digit());
                match digits.parse::<u64>() {
                    Ok(number) if !self.rest.starts_with('.') => {
                        Ok(Expression::Value(Value::Integer(number.into())))
                    }
                    _ => Err(format!("'{digits}{}' is no whole number of 64 bits", self.rest)),
                }
            }
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self.word(|c| c.is_alphanumeric() || c == '_').to_owned();
                match self.takes("(") {
                    true => Ok(Expression::Call(name, self.given()?)),
                    false => Ok(Expression::Name(name)),
                }
            }
            _ => Err(format!("'{}' is not understood", self.rest)),
        }
    }

    /// The names and values of a call, behind its parenthesis.
    fn given(&mut self) -> Result<Vec<(String, Expression)>, String> {
        let mut given = Vec::new();
        while !self.takes(")") {
            if !given.is_empty() && !self.takes(",") {
                return Err("a call does not end".to_owned());
            }
            self.peek();
            let name = self.word(|c| c.is_alphanumeric() || c == '_').to_owned();
            if name.is_empty() || !self.takes("=") {
                return Err("values of a call have the form name=value".to_owned());
            }
            given.push((name, self.sum()?));
        }
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> TemplateNames {
        let templates = [("u", "server.domain/path"), ("f", "{{c}}-{{n + 1}}")];
        TemplateNames {
            templates: templates.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
            dimensions: vec![
                ("i".to_owned(), Value::Integer(3)),
                ("s".to_owned(), Value::Text("x".into())),
            ],
        }
    }

    #[test]
    fn expressions_have_the_values_that_python_gives() {
        for (written, text) in [
            ("plain", "plain"),
            ("http://{{u}}_{{ i }}", "http://server.domain/path_3"),
            ("{{(i + 1) * 1000}}", "4000"),
            ("{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 // -2 }}", "-4 2 -4"),
            ("{{ i - 1 - 1 }}{{s}}", "1x"),
            ("{{f(c='text', n = i*2)}}", "text-7"),
        ] {
            assert_eq!(
                Template::parse(written).unwrap().text(&names()).unwrap(),
                text,
                "{written}"
            );
        }
        assert_eq!(Template::parse("{{i}}0").unwrap().number(&names()).unwrap(), 30);
    }

    #[test]
    fn anything_else_is_refused_with_its_text() {
        let deep = format!("{{{{{}1{}}}}}", "(".repeat(40), ")".repeat(40));
        for written in [
            "{{ i / 2 }}",
            "{{ i ** 2 }}",
            "{{ i | upper }}",
            "{{ x }}",
            "{% if i %}",
            "{{ i",
            "{{ f }}",
            "{{ 1.5 }}",
            "{{ 1 // 0 }}",
            "{{ 'a' + 1 }}",
            "{{ g(c=1) }}",
            "{{ f(1) }}",
            "{{ f(d=1) }}",
            "{{}}",
            "{{ 9999999999999999999 * 9999999999999999999 }}",
            &deep,
        ] {
            let told = Template::parse(written).and_then(|parsed| parsed.text(&names()));
            let told = told.unwrap_err().to_string();
            assert!(told.contains(written), "{told}");
        }
        assert!(Template::parse("{{i - 4}}").unwrap().number(&names()).is_err());
    }

    #[test]
    fn texts_do_not_grow_without_a_limit() {
        let mut names = names();
        names.templates.insert("long".to_owned(), "x".repeat(1 << 19));
        let text = |written: &str| Template::parse(written).unwrap().text(&names);
        assert_eq!(text("{{long}}{{long}}").unwrap().len(), 1 << 20);
        for longer in ["{{long}}".repeat(1000), "{{long}}y{{long}}".to_owned()] {
            let told = text(&longer).unwrap_err().to_string();
            assert!(
                told.contains("more than 1048576 bytes") && told.len() < 500,
                "{told}"
            );
        }
    }
}
