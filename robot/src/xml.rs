//! XML elements with their locations, whose attributes and children are read with errors that say what is wrong and
//! where.

use std::borrow::Cow;
use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};

use crate::error::{Location, RobotError};

/// The greatest number of nodes of a file; a document takes some 50 bytes for each.
const MAX_NODES: u32 = 20_000_000;

/// A parsed text, and the positions of the ends of its lines.
pub struct Xml<'input> {
    document: Document<'input>,
    line_ends: Vec<usize>,
}

/// Parses a text; one with a document type definition (DTD) is refused.
pub fn parse<'input>(text: &'input str, path: &Path) -> Result<Xml<'input>, RobotError> {
    let text = text.trim_start_matches('\u{feff}');
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| RobotError::Xml {
        at: Location { path: path.to_owned(), line: error.pos().row },
        message: error.to_string(),
    })?;
    Ok(Xml { document, line_ends: text.match_indices('\n').map(|(end, _)| end).collect() })
}

/// An XML element, and the path of its file and the ends of its lines for messages.
#[derive(Clone, Copy)]
pub struct Element<'a, 'input> {
    pub node: Node<'a, 'input>,
    pub path: &'a Path,
    pub line_ends: &'a [usize],
}

impl<'a, 'input> Element<'a, 'input> {
    /// The root element; an error if its name is another.
    pub fn root(xml: &'a Xml<'input>, path: &'a Path, name: &str) -> Result<Self, RobotError> {
        let root = Self { node: xml.document.root_element(), path, line_ends: &xml.line_ends };
        if root.name() == name { Ok(root) } else { Err(root.error(format!("expected <{name}> as the root"))) }
    }

    pub fn name(&self) -> &'input str {
        self.node.tag_name().name()
    }

    pub fn at(&self) -> Location {
        let start = self.node.range().start;
        let before = self.line_ends.partition_point(|&end| end < start);
        Location { path: self.path.to_owned(), line: before as u32 + 1 }
    }

    /// The length of the element in the file.
    pub fn bytes(&self) -> usize {
        self.node.range().len()
    }

    pub fn error(&self, problem: impl Into<String>) -> RobotError {
        let named = self.node.ancestors().filter(|node| node.is_element()).find_map(|node| {
            let name = node.attribute("name").or_else(|| node.attribute("id"))?;
            Some(format!("{} `{name}`", node.tag_name().name()))
        });
        let own = format!("<{}>", self.name());
        let within = named.map_or(own.clone(), |named| format!("{named}, {own}"));
        RobotError::Format { at: self.at(), within, problem: problem.into() }
    }

    pub fn children(&self) -> impl Iterator<Item = Self> + use<'a, 'input> {
        let parent = *self;
        self.node.children().filter(|node| node.is_element()).map(move |node| Self { node, ..parent })
    }

    /// The children with the given name, in any namespace.
    pub fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = Self> + use<'a, 'input, 'n> {
        self.children().filter(move |child| child.name() == name)
    }

    pub fn first(&self, name: &str) -> Option<Self> {
        self.all(name).next()
    }

    pub fn child(&self, name: &str) -> Result<Self, RobotError> {
        self.first(name).ok_or_else(|| self.error(format!("expected a <{name}> in it")))
    }

    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    pub fn required(&self, name: &str) -> Result<&'a str, RobotError> {
        self.attribute(name).ok_or_else(|| self.error(format!("expected an attribute `{name}`")))
    }

    /// The text in the element, without the comments and elements in between.
    pub fn text(&self) -> Cow<'a, str> {
        let texts = self.node.children().filter(|child| child.is_text());
        texts.filter_map(|child| child.text()).fold(Cow::default(), |text, more| text + more)
    }

    /// The numbers of an attribute; `None` if the attribute is missing.
    pub fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, RobotError> {
        let Some(text) = self.attribute(name) else { return Ok(None) };
        let mut numbers = [0.0; N];
        let mut words = text.split_ascii_whitespace();
        for number in &mut numbers {
            let parsed = words.next().and_then(|word| word.parse().ok()).filter(|x: &f64| x.is_finite());
            *number = parsed.ok_or_else(|| self.wrong_numbers(name, N, text))?;
        }
        if words.next().is_some() { Err(self.wrong_numbers(name, N, text)) } else { Ok(Some(numbers)) }
    }

    fn wrong_numbers(&self, name: &str, count: usize, text: &str) -> RobotError {
        let numbers = if count == 1 { "a finite number".into() } else { format!("{count} finite numbers") };
        let shown: String = text.chars().take(60).collect();
        self.error(format!("expected {numbers} as `{name}`, found `{shown}`"))
    }

    pub fn number(&self, name: &str) -> Result<Option<f64>, RobotError> {
        Ok(self.numbers::<1>(name)?.map(|[number]| number))
    }

    pub fn required_number(&self, name: &str) -> Result<f64, RobotError> {
        self.required(name)?;
        Ok(self.number(name)?.unwrap_or_default())
    }
}
