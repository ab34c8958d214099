//! Cuts a text into pieces without reading them: a file into top-level blocks, a broken block into its items.
//!
//! The scanner knows strings, comments and brackets and nothing else. It is what makes hostile input harmless: it
//! counts how deep brackets nest before anything recurses, and it refuses what has no end at the place where it began.
//! Every byte is looked at once, and once more after a brace that is never closed.

/// How deep brackets, `${` and conditions may nest.
pub const MAX_DEPTH: usize = 64;

/// A part of a text between two ends of lines or commas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// First byte: never a blank, never a comment.
    pub start: usize,
    /// One past the last byte that is neither blank nor comment.
    pub end: usize,
    /// The first `{` outside of other brackets.
    pub open: Option<usize>,
    /// Its `}`, where it was found.
    pub close: Option<usize>,
    /// What it is.
    pub form: Form,
    /// True when something in it was refused: it is then read item by item.
    pub broken: bool,
    /// True when it nests too deep to be read at all.
    pub deep: bool,
}

impl Piece {
    /// Whether it has its braces and nothing in it was refused.
    pub fn is_whole_block(&self) -> bool {
        self.open.is_some() && self.close.is_some_and(|close| close + 1 == self.end) && !self.broken && !self.deep
    }
}

/// What a piece looks like from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A block or an item.
    Item,
    /// A `}` that closes nothing.
    Stray,
}

/// Something the scanner refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Why.
    pub why: Why,
}

/// Why the scanner refuses something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A `"` without its partner on the line.
    OpenText,
    /// A `"""` without its partner.
    OpenLongText,
    /// `{`, `[` or `(` without its partner.
    OpenBracket(u8),
    /// `]` or `)` that closes nothing, or closes another bracket.
    StrayBracket(u8),
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// A control character or a mark that reverses text.
    Character(char),
}

/// A bracket that is open.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// What opened it.
    kind: Kind,
    /// Where.
    at: usize,
    /// The indent of its line.
    indent: usize,
    /// How many `?` have been met in this value.
    asked: usize,
}

/// What can be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Brace,
    Bracket,
    Paren,
    /// The `(` of an annotation.
    Note,
    /// `${` in a string that begins at this byte.
    Hole {
        text: usize,
        long: bool,
    },
}

/// How lists of refusals stay short: more than this many are not kept.
const MAX_REFUSALS: usize = 32;

/// Walks over a text, a piece at a time.
pub struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    end: usize,
    /// Items end at commas, and braces around are somebody else's.
    inner: bool,
    stack: Vec<Open>,
    /// How many `${` are open.
    holes: usize,
    /// Where the current line begins, and its indent.
    line: usize,
    indent: usize,
    /// Ends of lines before this byte have been looked at.
    looked: usize,
    /// `?` outside of brackets.
    asked: usize,
    /// How many brackets are open and conditions are counted.
    depth: usize,
    /// Comments met, without the blanks and the newline at their end.
    pub comments: Vec<(usize, usize)>,
    /// What was refused.
    pub refusals: Vec<Refusal>,
    /// A brace is missing: lines that look like the header of a top-level block end a piece.
    guessing: bool,
    /// A `"""` without end has been met: the next one ends the text.
    gave_up: bool,
    /// The `{` whose `}` stands at another indent.
    suspect: Option<usize>,
    piece: Marks,
}

/// What has been noticed in the piece under way.
#[derive(Debug, Clone, Copy, Default)]
struct Marks {
    start: usize,
    open: Option<usize>,
    close: Option<usize>,
    /// Where the comment at the end of the current line begins.
    comment: Option<usize>,
    /// Where the last annotation ended, when it had parentheses.
    note_end: usize,
    /// All lines so far were annotations.
    notes: bool,
    /// Something was refused.
    broken: bool,
    /// It nests too deep.
    deep: bool,
    /// It ends with this line, whatever is open.
    over: bool,
}

/// What a byte is to the scanner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Quote,
    Hash,
    Newline,
    Open,
    Close,
    Comma,
    Ask,
    Equal,
    Strange,
}

/// The class of every byte.
const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Plain; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'"' => Class::Quote,
            b'#' => Class::Hash,
            b'\n' => Class::Newline,
            b'{' | b'[' | b'(' => Class::Open,
            b'}' | b']' | b')' => Class::Close,
            b',' => Class::Comma,
            b'?' => Class::Ask,
            b'=' => Class::Equal,
            b'\t' => Class::Plain,
            0..=31 | 127..=255 => Class::Strange,
            _ => Class::Plain,
        };
        byte += 1;
    }
    table
}

impl<'t> Scanner<'t> {
    /// Over a whole file.
    pub fn file(text: &'t str) -> Scanner<'t> {
        let bom = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        Scanner::new(text, bom, text.len(), false)
    }

    /// Over what stands between the braces of a block.
    pub fn body(text: &'t str, start: usize, end: usize) -> Scanner<'t> {
        Scanner::new(text, start, end, true)
    }

    fn new(text: &'t str, at: usize, end: usize, inner: bool) -> Scanner<'t> {
        Scanner {
            text,
            bytes: text.as_bytes(),
            at,
            end,
            inner,
            stack: Vec::new(),
            holes: 0,
            line: at,
            indent: 0,
            looked: 0,
            asked: 0,
            depth: 0,
            comments: Vec::new(),
            refusals: Vec::new(),
            guessing: false,
            gave_up: false,
            suspect: None,
            piece: Marks::default(),
        }
    }

    /// The next piece, or nothing at the end.
    pub fn next_piece(&mut self) -> Option<Piece> {
        self.skip_between();
        let start = self.at;
        let first = *self.bytes[..self.end].get(start)?;
        if first == b'}' {
            self.at += 1;
            return Some(self.stray(start));
        }
        let kept = (self.comments.len(), self.refusals.len(), self.line, self.indent);
        self.begin(start);
        let ended = self.scan();
        if (ended == Ended::Open || self.piece.deep) && !self.inner && !self.guessing {
            self.guessing = true;
            self.comments.truncate(kept.0);
            self.refusals.truncate(kept.1);
            (self.line, self.indent) = (kept.2, kept.3);
            self.at = start;
            self.begin(start);
            self.scan();
        }
        Some(self.finish())
    }

    fn begin(&mut self, start: usize) {
        self.stack.clear();
        self.holes = 0;
        self.looked = 0;
        self.asked = 0;
        self.depth = 0;
        self.suspect = None;
        self.piece = Marks { start, notes: true, ..Marks::default() };
    }

    fn finish(&self) -> Piece {
        let Marks { start, open, close, broken, deep, .. } = self.piece;
        let end = start + self.text.get(start..self.at).map_or(0, |text| self.significant_len(text));
        Piece { start, end, open, close, form: Form::Item, broken, deep }
    }

    /// How much of a piece is left without its last comment and blanks.
    fn significant_len(&self, piece: &str) -> usize {
        let length = match self.piece.comment {
            Some(comment) if comment >= self.piece.start => comment - self.piece.start,
            _ => piece.len(),
        };
        piece.get(..length).unwrap_or(piece).trim_end().len()
    }

    fn stray(&self, start: usize) -> Piece {
        Piece { start, end: start + 1, open: None, close: None, form: Form::Stray, broken: false, deep: false }
    }

    /// Goes to the first byte of the next piece.
    fn skip_between(&mut self) {
        while self.at < self.end {
            match self.bytes[self.at] {
                b' ' | b'\t' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.begin_line();
                }
                b'\r' if self.is_line_end(self.at) => self.at += 1,
                b',' if self.inner => self.at += 1,
                b'#' => self.comment(),
                _ => return,
            }
        }
    }

    /// Scans to the end of the piece under way.
    fn scan(&mut self) -> Ended {
        while self.at < self.end {
            let at = self.at;
            match CLASSES[self.bytes[at] as usize] {
                Class::Plain => self.at += 1,
                Class::Hash => self.comment(),
                Class::Quote => self.quote(),
                Class::Open => self.open(),
                Class::Close => {
                    if self.close() {
                        return Ended::Closed;
                    }
                }
                Class::Comma => {
                    self.forget_conditions();
                    if self.inner && self.stack.is_empty() {
                        return Ended::Closed;
                    }
                    self.at += 1;
                }
                Class::Equal => self.equal(),
                Class::Ask => self.ask(),
                Class::Newline => {
                    if self.newline() {
                        return Ended::Closed;
                    }
                }
                Class::Strange => self.strange(),
            }
            if self.depth > MAX_DEPTH {
                return self.abandon();
            }
        }
        self.at_end()
    }

    fn at_end(&mut self) -> Ended {
        if self.stack.is_empty() {
            return Ended::Closed;
        }
        if self.guessing || self.inner {
            self.refuse_open();
        }
        Ended::Open
    }

    /// Notes where a line begins and how far it is indented.
    fn begin_line(&mut self) {
        self.line = self.at;
        self.indent = self.skip_spaces(self.at) - self.at;
    }

    fn refuse(&mut self, start: usize, end: usize, why: Why) {
        self.piece.broken = true;
        if self.refusals.len() < MAX_REFUSALS {
            self.refusals.push(Refusal { start, end, why });
        }
    }

    /// Refuses the bracket that most likely lacks its partner.
    fn refuse_open(&mut self) {
        let hole = self.stack.iter().find_map(|open| match open.kind {
            Kind::Hole { text, long } => Some((text, long)),
            _ => None,
        });
        if let Some((text, long)) = hole {
            return self.refuse_text(text, long);
        }
        let innermost = self.stack.last().map(|open| open.at);
        if let Some(at) = self.suspect.or(innermost) {
            self.refuse(at, at + 1, Why::OpenBracket(self.bytes[at]));
        }
    }

    fn refuse_text(&mut self, at: usize, long: bool) {
        let (length, why) = if long { (3, Why::OpenLongText) } else { (1, Why::OpenText) };
        self.refuse(at, at + length, why);
    }

    // ---- comments and strings

    fn comment(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..self.end];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at = start + length;
        let blanks = rest[..length].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        let end = self.at - blanks;
        self.piece.comment = Some(start);
        self.comments.push((start, end));
    }

    fn quote(&mut self) {
        let start = self.at;
        let long = self.bytes[start..self.end].starts_with(b"\"\"\"");
        self.at += if long { 3 } else { 1 };
        self.text_until_end(start, long);
    }

    /// Goes to the end of the string that began at `start`, or into its next `${`.
    fn text_until_end(&mut self, start: usize, long: bool) {
        while self.at < self.end {
            match self.bytes[self.at] {
                b'\\' if self.bytes.get(self.at + 1) != Some(&b'\n') => self.at = (self.at + 2).min(self.end),
                b'\n' if !long => return self.unfinished_text(start),
                b'\n' => {
                    self.at += 1;
                    self.begin_line();
                }
                b'"' if !long => {
                    self.at += 1;
                    return;
                }
                b'"' if self.bytes[self.at..self.end].starts_with(b"\"\"\"") => {
                    self.at += 3;
                    return;
                }
                b'$' if self.bytes[self.at..self.end].starts_with(b"$${") => self.at += 3,
                b'$' if self.bytes[self.at..self.end].starts_with(b"${") => {
                    self.at += 1;
                    return self.push(Kind::Hole { text: start, long });
                }
                _ => self.at += 1,
            }
        }
        self.at = self.end;
        if long { self.unfinished_long_text(start) } else { self.unfinished_text(start) }
    }

    /// A line ended in a string: what was opened on that line is silenced with it.
    fn unfinished_text(&mut self, start: usize) {
        self.refuse_text(start, false);
        self.leave_line();
    }

    /// Drops what was opened on this line, and every string on one line that is still open.
    fn leave_line(&mut self) {
        let line = self.line;
        let opened = self.stack.iter().position(|open| open.at >= line);
        let inside = self.stack.iter().position(|open| matches!(open.kind, Kind::Hole { long: false, .. }));
        let kept = [opened, inside].into_iter().flatten().min();
        self.cut_stack(kept.unwrap_or(self.stack.len()));
    }

    /// Nothing ends a `"""`: reading goes on at the next line that looks like a header.
    fn unfinished_long_text(&mut self, start: usize) {
        self.refuse_text(start, true);
        self.cut_stack(0);
        self.piece.over = true;
        if !self.gave_up {
            self.gave_up = true;
            self.at = self.next_header(start + 3);
        }
    }

    /// The next line that begins like a top-level block, or the end.
    fn next_header(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(length) = self.bytes[at..self.end].iter().position(|&byte| byte == b'\n') {
            at += length + 1;
            if self.is_top_header(at) {
                return at - 1;
            }
        }
        self.end
    }

    // ---- brackets

    /// Enters a bracket.
    fn open(&mut self) {
        let at = self.at;
        let kind = match self.bytes[at] {
            b'{' => Kind::Brace,
            b'[' => Kind::Bracket,
            _ if self.follows_note(at) => Kind::Note,
            _ => Kind::Paren,
        };
        if kind == Kind::Brace && self.stack.is_empty() && self.piece.open.is_none() {
            self.piece.open = Some(at);
        }
        self.push(kind);
    }

    fn push(&mut self, kind: Kind) {
        self.depth += 1;
        self.holes += usize::from(matches!(kind, Kind::Hole { .. }));
        self.stack.push(Open { kind, at: self.at, indent: self.indent, asked: 0 });
        self.at += 1;
    }

    /// Whether the word before this byte has an `@`.
    fn follows_note(&self, at: usize) -> bool {
        let before = &self.bytes[self.piece.start..at];
        let word = before.iter().rev().take_while(|byte| is_word(**byte)).count();
        word > 0 && before.len() > word && before[before.len() - word - 1] == b'@'
    }

    /// Leaves a bracket; true when the piece ends with it.
    fn close(&mut self) -> bool {
        match self.bytes[self.at] {
            b'}' => self.close_brace(),
            byte => {
                self.close_other(byte);
                false
            }
        }
    }

    fn close_brace(&mut self) -> bool {
        let at = self.at;
        let partner = self.stack.iter().rposition(|open| matches!(open.kind, Kind::Brace | Kind::Hole { .. }));
        let Some(partner) = partner else {
            self.refuse_brackets_over(0);
            return true;
        };
        self.refuse_brackets_over(partner);
        self.at = at + 1;
        let open = self.stack[partner];
        self.cut_stack(partner);
        match open.kind {
            Kind::Hole { text, long } => {
                self.text_until_end(text, long);
                false
            }
            Kind::Brace | Kind::Bracket | Kind::Paren | Kind::Note => {
                self.compare_indent(open, at);
                if self.stack.is_empty() && self.piece.open == Some(open.at) {
                    self.piece.close = Some(at);
                }
                self.stack.is_empty() && !self.is_value(open.at)
            }
        }
    }

    /// Whether a brace opens a map: an attribute does not end with it.
    fn is_value(&self, open: usize) -> bool {
        let before = &self.bytes[self.piece.start..open];
        let last = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        self.inner && matches!(last, Some(b'=' | b'?' | b':' | b'+' | b'*'))
    }

    /// Refuses the innermost bracket above a place in the stack and drops all of them.
    fn refuse_brackets_over(&mut self, kept: usize) {
        let bracket = self.stack[kept..].iter().rev().find(|open| open.kind != Kind::Brace);
        let bracket = bracket.filter(|open| !matches!(open.kind, Kind::Hole { .. })).map(|open| open.at);
        if let Some(at) = bracket {
            self.refuse(at, at + 1, Why::OpenBracket(self.bytes[at]));
        }
        self.cut_stack((kept + 1).min(self.stack.len()));
    }

    fn close_other(&mut self, byte: u8) {
        let at = self.at;
        self.at += 1;
        let top = self.stack.last().map(|open| open.kind);
        let fits = match top {
            Some(Kind::Bracket) => byte == b']',
            Some(Kind::Paren | Kind::Note) => byte == b')',
            Some(Kind::Brace | Kind::Hole { .. }) | None => {
                return self.refuse(at, at + 1, Why::StrayBracket(byte));
            }
        };
        if !fits {
            self.refuse(at, at + 1, Why::StrayBracket(byte));
        }
        if top == Some(Kind::Note) && self.stack.len() == 1 {
            self.piece.note_end = self.at;
        }
        self.cut_stack(self.stack.len() - 1);
    }

    /// Drops what is open above a place in the stack.
    fn cut_stack(&mut self, kept: usize) {
        while self.stack.len() > kept {
            if let Some(open) = self.stack.pop() {
                self.depth -= open.asked + 1;
                self.holes -= usize::from(matches!(open.kind, Kind::Hole { .. }));
            }
        }
    }

    /// Remembers the first brace whose partner stands at another indent.
    fn compare_indent(&mut self, open: Open, close: usize) {
        let first_on_line = close == self.line + self.indent;
        if self.suspect.is_none() && first_on_line && open.indent != self.indent {
            self.suspect = Some(open.at);
        }
    }

    // ---- conditions

    /// Counts a `?`.
    fn ask(&mut self) {
        self.at += 1;
        self.depth += 1;
        match self.stack.last_mut() {
            Some(open) => open.asked += 1,
            None => self.asked += 1,
        }
    }

    /// A value ended here: its conditions no longer count.
    fn forget_conditions(&mut self) {
        let asked = match self.stack.last_mut() {
            Some(open) => &mut open.asked,
            None => &mut self.asked,
        };
        self.depth -= *asked;
        *asked = 0;
    }

    /// An `=` that is no comparison begins a value.
    fn equal(&mut self) {
        let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
        let after = self.bytes.get(self.at + 1);
        if after == Some(&b'=') {
            self.at += 2;
            return;
        }
        if !matches!(before, Some(b'<' | b'>' | b'!')) {
            self.forget_conditions();
        }
        self.at += 1;
    }

    /// Too deep: the rest of this block is not looked at. It ends at a `}` in the first column.
    fn abandon(&mut self) -> Ended {
        let at = self.at - 1;
        self.refuse(at, at + 1, Why::TooDeep);
        self.piece.deep = true;
        self.cut_stack(0);
        let rest = &self.bytes[at..self.end];
        self.at = rest.windows(2).position(|pair| pair == b"\n}").map_or(self.end, |newline| at + newline + 1);
        while self.at < self.end && matches!(self.bytes[self.at], b'}' | b'\n' | b'\r' | b' ' | b'\t' | b']' | b')') {
            self.at += 1;
        }
        Ended::Closed
    }

    // ---- lines

    /// Handles the end of a line; true when the piece ends here.
    fn newline(&mut self) -> bool {
        let newline = self.at;
        if newline >= self.looked && self.ends_with_line(newline) {
            return true;
        }
        self.at += 1;
        self.begin_line();
        self.piece.comment = None;
        false
    }

    fn ends_with_line(&mut self, newline: usize) -> bool {
        if self.holes > 0 {
            self.check_text_at_line_end();
        }
        if matches!(self.stack.last(), Some(Open { kind: Kind::Bracket | Kind::Paren, .. })) {
            self.check_bracket_at_line_end(newline);
        }
        match self.stack.last().map(|open| open.kind) {
            None => self.piece.over || self.line_ends_piece(newline),
            Some(Kind::Brace | Kind::Note | Kind::Hole { .. } | Kind::Bracket | Kind::Paren) => {
                self.line_ends_unclosed_block(newline)
            }
        }
    }

    /// A `${` that is still open at the end of a line has lost its partner, unless the string may have several lines.
    fn check_text_at_line_end(&mut self) {
        let text = self.stack.iter().find_map(|open| match open.kind {
            Kind::Hole { text, long: false } => Some(text),
            _ => None,
        });
        if let Some(text) = text {
            self.refuse_text(text, false);
            self.leave_line();
        }
    }

    /// A `[` or `(` that is still open when the next line begins an attribute has lost its partner.
    fn check_bracket_at_line_end(&mut self, newline: usize) {
        let next = self.after_blanks(newline);
        self.looked = next;
        if !self.is_attribute(next) && !self.is_header(next) {
            return;
        }
        if let Some(open) = self.stack.last() {
            let at = open.at;
            self.refuse(at, at + 1, Why::OpenBracket(self.bytes[at]));
        }
        let kept = self.stack.iter().rposition(|open| matches!(open.kind, Kind::Brace | Kind::Hole { .. }));
        self.cut_stack(kept.map_or(0, |kept| kept + 1));
    }

    /// When a brace is missing, a header in the first column ends the block.
    fn line_ends_unclosed_block(&mut self, newline: usize) -> bool {
        if !self.guessing || !self.is_top_header(newline + 1) {
            return false;
        }
        self.refuse_open();
        true
    }

    /// Whether a line outside of brackets is the last of its piece.
    fn line_ends_piece(&mut self, newline: usize) -> bool {
        let next = self.after_blanks(newline);
        if next == self.end {
            return true;
        }
        let last = self.last_on_line(newline);
        self.looked = next;
        self.piece.notes = self.piece.notes && self.is_note_end(last);
        if self.piece.notes || self.bytes[next] == b'{' {
            return false;
        }
        if self.is_attribute(next) {
            return true;
        }
        !(self.is_unfinished(last) && !self.is_header(next) || self.continues(next))
    }

    /// One past the last byte of the line that is neither blank nor comment.
    fn last_on_line(&self, newline: usize) -> usize {
        let end = self.piece.comment.unwrap_or(newline);
        let line = &self.bytes[self.piece.start..end.max(self.piece.start)];
        let blanks = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        self.piece.start + line.len() - blanks
    }

    fn is_note_end(&self, last: usize) -> bool {
        last == self.piece.note_end || self.follows_note(last)
    }

    /// Whether a line that ends here needs more.
    fn is_unfinished(&self, last: usize) -> bool {
        let line = &self.bytes[self.piece.start..last];
        let word = line.iter().rev().take_while(|byte| is_word(**byte)).count();
        match line.last() {
            None => false,
            Some(b'=' | b'+' | b'*' | b'<' | b'>' | b'?' | b':' | b',') => true,
            Some(b'/') => !line.ends_with(b"//") && !line.ends_with(b"*/"),
            Some(_) if line.ends_with(b" -") => true,
            Some(_) => matches!(&line[line.len() - word..], b"and" | b"or" | b"not" | b"in") && word < line.len(),
        }
    }

    /// Whether what stands here carries on the line before.
    fn continues(&self, next: usize) -> bool {
        let rest = &self.bytes[next..self.end];
        let word = rest.iter().take_while(|byte| is_word(**byte)).count();
        match rest {
            [b'/', b'/' | b'*', ..] => false,
            [b'-', after, ..] => matches!(after, b' ' | b'\t' | b'\n' | b'\r'),
            [b'+' | b'*' | b'/' | b'<' | b'>' | b'=' | b'!' | b'?' | b':' | b'&' | b'|', ..] => true,
            _ => matches!(&rest[..word], b"and" | b"or" | b"in" | b"not"),
        }
    }

    /// The next byte that is neither blank nor comment.
    fn after_blanks(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.end {
            match self.bytes[at] {
                b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                b'#' => at += self.bytes[at..self.end].iter().take_while(|byte| **byte != b'\n').count(),
                _ => break,
            }
        }
        at
    }

    fn skip_words(&self, from: usize) -> usize {
        from + self.bytes[from..self.end].iter().take_while(|byte| is_word(**byte) || **byte == b'.').count()
    }

    fn skip_spaces(&self, from: usize) -> usize {
        from + self.bytes[from..self.end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// Whether `name =` or `set path =` stands here.
    fn is_attribute(&self, at: usize) -> bool {
        let after = self.skip_words(at);
        let next = self.skip_spaces(after);
        self.is_assignment(at) || self.bytes[at..after] == *b"set" && next > after && self.is_assignment(next)
    }

    fn is_assignment(&self, at: usize) -> bool {
        let after = self.skip_words(at);
        let sign = self.skip_spaces(after);
        after > at && is_attribute_sign(&self.bytes[sign..self.end])
    }

    /// Whether a line begins like a block: `word {`, `word word {` or `word word for`.
    fn is_header(&self, at: usize) -> bool {
        let kind = self.skip_words(at);
        let name = self.skip_spaces(kind);
        kind > at && (self.bytes.get(name) == Some(&b'{') || self.is_named_header(at))
    }

    /// Whether a line begins like a block that can only stand at the top.
    fn is_top_header(&self, at: usize) -> bool {
        self.is_named_header(at) || self.bytes[at.min(self.end)..self.end].starts_with(b"let {")
    }

    fn is_named_header(&self, at: usize) -> bool {
        let kind = self.skip_words(at);
        let name = self.skip_spaces(kind);
        let after_name = self.skip_words(name);
        let rest = &self.bytes[self.skip_spaces(after_name)..self.end];
        kind > at && name > kind && after_name > name && (rest.starts_with(b"{") || rest.starts_with(b"for "))
    }

    // ---- characters

    fn strange(&mut self) {
        let start = self.at;
        let Some(character) = self.text.get(start..).and_then(|rest| rest.chars().next()) else {
            self.at += 1;
            return;
        };
        self.at += character.len_utf8();
        if !self.is_refused(start, character) {
            return;
        }
        while let Some(more) = self.text.get(self.at..self.end).and_then(|rest| rest.chars().next()) {
            if !self.is_refused(self.at, more) {
                break;
            }
            self.at += more.len_utf8();
        }
        self.refuse(start, self.at, Why::Character(character));
    }

    fn is_refused(&self, at: usize, character: char) -> bool {
        match character {
            '\t' | '\n' => false,
            '\r' => !self.is_line_end(at),
            '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{061C}' => {
                true
            }
            _ => character.is_control(),
        }
    }

    fn is_line_end(&self, at: usize) -> bool {
        self.bytes.get(at + 1) == Some(&b'\n')
    }
}

/// How a scan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// At the end of a piece.
    Closed,
    /// At the end of the text, with a bracket open.
    Open,
}

/// A byte of a word.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Whether a text begins with an `=` that is no comparison.
pub fn is_attribute_sign(text: &[u8]) -> bool {
    text.first() == Some(&b'=') && !matches!(text.get(1), Some(b'=' | b'>'))
}

#[cfg(test)]
mod tests {
    use super::{Form, Scanner, Why};

    /// The pieces of a file, `}` too many left out.
    fn pieces(text: &str) -> Vec<&str> {
        let mut scanner = Scanner::file(text);
        let mut pieces = Vec::new();
        while let Some(piece) = scanner.next_piece() {
            if piece.form == Form::Item {
                pieces.push(&text[piece.start..piece.end]);
            }
        }
        pieces
    }

    fn items(text: &str) -> Vec<&str> {
        let mut scanner = Scanner::body(text, 0, text.len());
        std::iter::from_fn(|| scanner.next_piece()).map(|piece| &text[piece.start..piece.end]).collect()
    }

    fn refusals(text: &str) -> Vec<(usize, Why)> {
        let mut scanner = Scanner::file(text);
        while scanner.next_piece().is_some() {}
        scanner.refusals.iter().map(|refusal| (refusal.start, refusal.why)).collect()
    }

    #[test]
    fn a_file_is_cut_into_blocks() {
        assert_eq!(
            pieces("# c\na b {\n x = \"}\"\n} # d\n\n@x\n@y(1)\nc {}\n"),
            ["a b {\n x = \"}\"\n}", "@x\n@y(1)\nc {}"]
        );
        assert_eq!(pieces("a { x = \"${ { k = \"}\" } }\" } b {}"), ["a { x = \"${ { k = \"}\" } }\" }", "b {}"]);
        assert_eq!(pieces("a { x = \"\"\"\n}\n\"\"\" }"), ["a { x = \"\"\"\n}\n\"\"\" }"]);
        assert_eq!(pieces("a\n{\n}\nb {}"), ["a\n{\n}", "b {}"]);
    }

    #[test]
    fn a_body_is_cut_into_items() {
        assert_eq!(items("a = 1 # c\nb = [\n1,\n2], c { d = 1 }\n"), ["a = 1", "b = [\n1,\n2]", "c { d = 1 }"]);
        assert_eq!(
            items("a = 1\n  + 2\nb = c and\n d\ne =\n f = 1"),
            ["a = 1\n  + 2", "b = c and\n d", "e =", "f = 1"]
        );
        assert_eq!(items("m = { a = 1 } \n @x\n b = 2"), ["m = { a = 1 }", "@x\n b = 2"]);
    }

    #[test]
    fn what_has_no_end_is_refused_where_it_begins() {
        assert_eq!(refusals("a { x = \"b }\n}"), [(8, Why::OpenText)]);
        assert_eq!(refusals("a {\n  x = [1\n  y = 2\n}"), [(10, Why::OpenBracket(b'['))]);
        assert_eq!(refusals("a b {\n\nc d {\n}\n"), [(4, Why::OpenBracket(b'{'))]);
        assert_eq!(refusals("a b {\n  c {\n}\nd e {}\n"), [(10, Why::OpenBracket(b'{'))]);
        assert_eq!(refusals("a { x = \"\"\"b }\n"), [(8, Why::OpenLongText)]);
        assert_eq!(refusals("a { x = (1] }"), [(10, Why::StrayBracket(b']'))]);
        assert_eq!(refusals("a { x = 1\u{202E} }"), [(9, Why::Character('\u{202E}'))]);
    }
}
