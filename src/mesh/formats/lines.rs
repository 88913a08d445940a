//! The lines of a text, ended in any way: LF, CRLF or CR.

use std::io::{self, BufRead, ErrorKind};
use std::mem;

/// Some editors begin UTF-8 files with it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Gives lines one after the other, and counts them.
pub(super) struct Lines<R> {
    reader: R,
    /// Number of the latest line, counted from 1.
    pub(super) count: u64,
    /// The last line ended in CR, so that an LF that follows belongs to it.
    after_cr: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, count: 0, after_cr: false }
    }

    /// Appends a line to the text, without its ending and without the mark that some files begin with. False if there
    /// is none.
    pub(super) fn append_to(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        let start = text.len();
        let mut found = false;
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            if buffer.is_empty() {
                break;
            }
            if mem::take(&mut self.after_cr) && buffer[0] == b'\n' {
                self.reader.consume(1);
                continue;
            }
            found = true;
            let length = buffer.len();
            if let Some(end) = buffer.iter().position(|&byte| matches!(byte, b'\n' | b'\r')) {
                text.extend_from_slice(&buffer[..end]);
                self.after_cr = buffer[end] == b'\r';
                self.reader.consume(end + 1);
                break;
            }
            text.extend_from_slice(buffer);
            self.reader.consume(length);
        }
        self.count += u64::from(found);
        if self.count == 1 && text[start..].starts_with(BYTE_ORDER_MARK) {
            text.drain(start..start + BYTE_ORDER_MARK.len());
        }
        Ok(found)
    }
}

/// A word for an error message, cut short.
pub(super) fn quote(word: &[u8]) -> String {
    const LONGEST: usize = 32;
    let start = &word[..word.len().min(LONGEST)];
    let ellipsis = if word.len() > LONGEST { "..." } else { "" };
    format!("`{}{ellipsis}`", String::from_utf8_lossy(start).escape_debug())
}
