//! Finds the values below a name that is the head of a column: of a table, of CSV, of what a program prints in columns.
//!
//! A row with another number of cells ends the table. Whether a value is secret is not decided here.

use std::ops::Range;

use super::{Alphabet, BLANK, Binding, FieldName, FieldValue, QUOTE, ValueEnd};
use crate::line::{LINE_BYTES, find_line_end};

/// The most rows of a table.
const MAX_ROWS: usize = 32;
/// What stands between columns; the blank stands for two and more.
const DIVIDERS: &[u8] = b"|\t,; ";
/// What draws a table without being part of it.
const RULE: Alphabet = Alphabet::from_chars("+-=|: \t\r");

/// Reads the cells of the column that the name is the head of.
pub(crate) fn read_column(text: &[u8], name: &FieldName<'_>) -> Vec<FieldValue> {
    let Some(line) = find_line(text, &name.range) else {
        return Vec::new();
    };
    // The heads stand above all rows.
    let before = line.start.checked_sub(1);
    let row_before = before.and_then(|end| find_line(text, &(end..end)));
    let column = DIVIDERS.iter().find_map(|&divider| {
        let heads = split_cells(text, line.clone(), divider);
        let index = heads.iter().position(|head| *head == name.range)?;
        let width = |row| split_cells(text, row, divider).len();
        let is_row = row_before
            .clone()
            .is_some_and(|row| !is_rule(text, &row) && width(row) == heads.len());
        let names_columns = are_heads(text, &heads) && !is_row;
        names_columns.then_some((divider, heads.len(), index))
    });
    let Some((divider, width, index)) = column else {
        return Vec::new();
    };
    read_rows(text, line.end + 1)
        .filter(|row| !is_rule(text, row))
        .map(|row| split_cells(text, row, divider))
        .take_while(|cells| cells.len() == width)
        .map(|cells| FieldValue {
            range: cells[index].clone(),
            binding: Binding::NextLine,
            is_glued: false,
            end: ValueEnd::Cell(divider),
        })
        .collect()
}

/// Returns whether there are several heads, none of which is a number.
fn are_heads(text: &[u8], cells: &[Range<usize>]) -> bool {
    let mut heads = cells.iter().map(|cell| &text[cell.clone()]);
    let is_number = |head: &[u8]| head.first().is_some_and(u8::is_ascii_digit);
    heads.clone().filter(|head| !head.is_empty()).count() > 1 && !heads.any(is_number)
}

fn is_rule(text: &[u8], row: &Range<usize>) -> bool {
    RULE.contains_all(&text[row.clone()])
}

/// Returns the line that a name stands on; `None` if it is long, or the last.
fn find_line(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let near = &text[name.start.saturating_sub(LINE_BYTES)..name.start];
    let start = match near.iter().rposition(|&byte| byte == b'\n') {
        Some(at) => name.start - near.len() + at + 1,
        None if near.len() == name.start => 0,
        None => return None,
    };
    Some(start..find_line_end(text, name.end)?)
}

/// Returns the lines from `start` on, up to one that is long.
fn read_rows(text: &[u8], start: usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = start;
    let lines = text.get(start..).unwrap_or_default();
    let lines = lines.split(|&byte| byte == b'\n').take(MAX_ROWS);
    let rows = lines.take_while(|line| line.len() <= LINE_BYTES);
    rows.map(move |line| {
        let row = start..start + line.len();
        start = row.end + 1;
        row
    })
}

/// Returns the cells of a line, without the blanks and quotes around them.
fn split_cells(text: &[u8], line: Range<usize>, divider: u8) -> Vec<Range<usize>> {
    let is_divider = |at: &usize| match divider {
        b' ' => text[*at..line.end].starts_with(b"  "),
        _ => text[*at] == divider,
    };
    let mut start = line.start;
    let ends = line.clone().filter(is_divider).chain([line.end]);
    let cells = ends.map(|end| {
        let cell = trim_around(text, start..end);
        start = end + 1;
        cell
    });
    // Three blanks are one divider.
    let cells = cells.filter(|cell| divider != b' ' || cell.start < cell.end);
    cells.collect()
}

fn trim_around(text: &[u8], cell: Range<usize>) -> Range<usize> {
    let bytes = &text[cell.clone()];
    let is_inner = |byte: &u8| !is_around(*byte);
    match bytes
        .iter()
        .position(is_inner)
        .zip(bytes.iter().rposition(is_inner))
    {
        Some((first, last)) => cell.start + first..cell.start + last + 1,
        None => cell.start..cell.start,
    }
}

fn is_around(byte: u8) -> bool {
    BLANK.contains(byte) || QUOTE.contains(byte) || byte == b'\r'
}
