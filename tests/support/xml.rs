//! A strict reader of XML, as far as the report and its pictures use it: it fails on whatever is not well-formed.

/// An element or a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Name, attributes in their order, and what stands in it.
    Element(String, Vec<(String, String)>, Vec<Node>),
    /// A text with its references resolved.
    Text(String),
}

impl Node {
    /// Every element below this one and itself, in order.
    pub fn elements(&self) -> Vec<&Node> {
        match self {
            Node::Text(_) => Vec::new(),
            Node::Element(_, _, children) => {
                std::iter::once(self).chain(children.iter().flat_map(Node::elements)).collect()
            }
        }
    }

    /// The name of an element.
    pub fn name(&self) -> &str {
        match self {
            Node::Element(name, _, _) => name,
            Node::Text(_) => "",
        }
    }

    /// An attribute of an element.
    pub fn attribute(&self, wanted: &str) -> Option<&str> {
        match self {
            Node::Element(_, attributes, _) => {
                attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
            }
            Node::Text(_) => None,
        }
    }

    /// All text in it.
    pub fn text(&self) -> String {
        match self {
            Node::Text(text) => text.clone(),
            Node::Element(_, _, children) => children.iter().map(Node::text).collect(),
        }
    }
}

/// The root of a document.
pub fn read(text: &str) -> Result<Node, String> {
    let mut reader = Reader { rest: text };
    reader.prolog()?;
    let root = reader.element()?;
    reader.blanks();
    if reader.rest.is_empty() { Ok(root) } else { reader.fail("something follows the root") }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn fail<T>(&self, why: &str) -> Result<T, String> {
        Err(format!("{why}, before {:?}", self.rest.chars().take(60).collect::<String>()))
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn until(&mut self, end: &str) -> Result<&'t str, String> {
        let Some((before, after)) = self.rest.split_once(end) else { return self.fail(&format!("no `{end}` follows")) };
        self.rest = after;
        Ok(before)
    }

    /// Declaration, comments and the type of the document.
    fn prolog(&mut self) -> Result<(), String> {
        loop {
            self.blanks();
            if self.take("<?xml ") {
                self.until("?>")?;
            } else if self.take("<!DOCTYPE ") {
                self.until(">")?;
            } else if !self.comment()? {
                return Ok(());
            }
        }
    }

    fn comment(&mut self) -> Result<bool, String> {
        if !self.take("<!--") {
            return Ok(false);
        }
        let inside = self.until("-->")?;
        if inside.contains("--") { self.fail("`--` in a comment") } else { Ok(true) }
    }

    fn name(&mut self) -> Result<String, String> {
        let legal = |c: char| c.is_ascii_alphanumeric() || "-_:".contains(c);
        let end = self.rest.find(|c| !legal(c)).unwrap_or(self.rest.len());
        if !self.rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.fail("a name is wanted");
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name.to_string())
    }

    fn element(&mut self) -> Result<Node, String> {
        if !self.take("<") {
            return self.fail("an element is wanted");
        }
        let name = self.name()?;
        let mut attributes: Vec<(String, String)> = Vec::new();
        loop {
            let before = self.rest.len();
            self.blanks();
            if self.take("/>") {
                return Ok(Node::Element(name, attributes, Vec::new()));
            }
            if self.take(">") {
                break;
            }
            if self.rest.len() == before {
                return self.fail("attributes stand apart");
            }
            let (key, value) = self.attribute()?;
            if attributes.iter().any(|(other, _)| *other == key) {
                return self.fail("an attribute stands twice");
            }
            attributes.push((key, value));
        }
        let children = self.children()?;
        let end = self.name()?;
        self.blanks();
        if end != name || !self.take(">") {
            return self.fail(&format!("`{end}` ends `{name}`"));
        }
        Ok(Node::Element(name, attributes, children))
    }

    fn attribute(&mut self) -> Result<(String, String), String> {
        let name = self.name()?;
        if !self.take("=\"") {
            return self.fail("an attribute has a value in quotes");
        }
        let raw = self.until("\"")?;
        if raw.contains(['\n', '\t', '\r']) {
            return self.fail("a line end in an attribute would become a blank");
        }
        Ok((name, resolved(raw)?))
    }

    /// Everything up to the end tag, whose `</` is taken.
    fn children(&mut self) -> Result<Vec<Node>, String> {
        let mut children = Vec::new();
        loop {
            let end = self.rest.find('<').ok_or("an element has no end")?;
            let (text, rest) = self.rest.split_at(end);
            self.rest = rest;
            if !text.is_empty() {
                children.push(Node::Text(resolved(text)?));
            }
            if self.take("</") {
                return Ok(children);
            }
            if !self.comment()? {
                children.push(self.element()?);
            }
        }
    }
}

/// A text with its references resolved; nothing else that means something to a reader may stand in it.
fn resolved(raw: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let (reference, after) = after.split_once(';').ok_or_else(|| format!("a bare `&` in {raw:?}"))?;
        text.push(match reference {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            other => {
                let number = other.strip_prefix('#').and_then(|number| number.parse().ok());
                number.and_then(char::from_u32).ok_or_else(|| format!("`&{other};` is no reference"))?
            }
        });
        rest = after;
    }
    text.push_str(rest);
    let illegal = |c: char| c.is_control() && !"\n\t\r".contains(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}');
    match raw.find('<').is_some() || text.chars().any(illegal) || text.contains("]]>") && raw.contains("]]>") {
        true => Err(format!("{raw:?} is no text")),
        false => Ok(text),
    }
}
