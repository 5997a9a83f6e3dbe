//! Posting chunks as bytes: packing, and unpacking that validates everything.
//!
//! A chunk holds lessons above its base, in ascending order. A posting is a varint, sometimes a second one, and a byte.
//! The first varint is the number of lessons skipped since the one before times two, plus one when the term's weighted
//! count follows because it is not that of a single occurrence in the text. The byte is the lesson's length code.

use crate::IndexError;

/// Most bytes that one posting takes: two varints of five bytes and the length code.
const POSTING_BYTES: usize = 11;

/// The weighted count of a single occurrence in the text, in half occurrences.
const SINGLE_OCCURRENCE: u32 = 2;

const UNREADABLE_POSTING: IndexError = IndexError::Damaged("a posting cannot be read");
const MISSING_POSTING: IndexError = IndexError::Damaged("a lesson's posting is not there");
const DUPLICATE_LESSON: IndexError = IndexError::Damaged("a lesson stands twice under a term");

/// An occurrence of a term in a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// The lesson's number.
    pub lesson: u32,
    /// The term's weighted count, in half occurrences.
    pub halves: u32,
    /// The lesson's length as one byte.
    pub length: u8,
}

/// A chunk's base and bytes.
pub type PostingChunk = (u32, Vec<u8>);

/// Packs postings in ascending order into chunks of at most `chunk_bytes`, the first of them based at `base`.
///
/// Without postings it is one empty chunk.
pub fn pack_postings(
    base: u32,
    postings: &[Posting],
    chunk_bytes: usize,
) -> Result<Vec<PostingChunk>, IndexError> {
    let mut full = Vec::new();
    let mut chunk = (base, Vec::new());
    let mut before = base;
    for posting in postings {
        if chunk.1.len() + POSTING_BYTES > chunk_bytes {
            full.push(std::mem::replace(&mut chunk, (before, Vec::new())));
        }
        push_posting(&mut chunk.1, before, *posting)?;
        before = posting.lesson;
    }
    full.push(chunk);
    Ok(full)
}

/// Appends a posting to bytes whose last lesson is `before`.
pub(super) fn push_posting(
    data: &mut Vec<u8>,
    before: u32,
    posting: Posting,
) -> Result<(), IndexError> {
    let distance = posting.lesson.saturating_sub(before);
    let gap = u64::from(distance.checked_sub(1).ok_or(DUPLICATE_LESSON)?);
    let unusual = posting.halves != SINGLE_OCCURRENCE;
    push_varint(data, gap << 1 | u64::from(unusual));
    if unusual {
        push_varint(data, u64::from(posting.halves));
    }
    data.push(posting.length);
    Ok(())
}

fn push_varint(data: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        data.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    data.push(value.to_le_bytes()[0]);
}

/// Returns the first lesson of a chunk, or `None` if it is empty.
pub(super) fn first_lesson(before: u32, data: &[u8]) -> Result<Option<u32>, IndexError> {
    Ok(read_first(before, data)?.map(|(posting, _)| posting.lesson))
}

/// Adds postings to a chunk that they belong in, and packs the result.
pub fn insert_postings(
    (base, data): (u32, &[u8]),
    new: &[Posting],
    chunk_bytes: usize,
) -> Result<Vec<PostingChunk>, IndexError> {
    let mut postings = unpack_chunk(base, data)?;
    postings.extend_from_slice(new);
    postings.sort_by_key(|posting| posting.lesson);
    pack_postings(base, &postings, chunk_bytes)
}

/// Removes a lesson's posting from the chunk that holds it, and packs the result.
pub fn remove_posting(
    (base, data): (u32, &[u8]),
    lesson: u32,
    chunk_bytes: usize,
) -> Result<Vec<PostingChunk>, IndexError> {
    let mut postings = unpack_chunk(base, data)?;
    let place = postings.binary_search_by_key(&lesson, |posting| posting.lesson);
    postings.remove(place.map_err(|_| MISSING_POSTING)?);
    pack_postings(base, &postings, chunk_bytes)
}

/// Unpacks a whole chunk.
pub(super) fn unpack_chunk(base: u32, data: &[u8]) -> Result<Vec<Posting>, IndexError> {
    let mut postings = Vec::with_capacity(data.len() / 2);
    for_each_until(base, data, u32::MAX, |posting| postings.push(posting))?;
    Ok(postings)
}

/// Adds the lessons of a whole chunk to a list.
pub fn add_lessons(lessons: &mut Vec<u32>, base: u32, data: &[u8]) -> Result<(), IndexError> {
    for_each_until(base, data, u32::MAX, |posting| lessons.push(posting.lesson))?;
    Ok(())
}

/// Calls `found` with each posting up to the lesson `last`, continuing after the lesson `before`.
///
/// Returns the lesson to continue after, and the remaining bytes.
pub(super) fn for_each_until(
    mut before: u32,
    mut data: &[u8],
    last: u32,
    mut found: impl FnMut(Posting),
) -> Result<(u32, &[u8]), IndexError> {
    while let Some((posting, rest)) = read_first(before, data)? {
        if posting.lesson > last {
            break;
        }
        found(posting);
        (before, data) = (posting.lesson, rest);
    }
    Ok((before, data))
}

/// Reads the first posting, and returns it with the remaining bytes.
#[inline]
fn read_first(before: u32, data: &[u8]) -> Result<Option<(Posting, &[u8])>, IndexError> {
    if data.is_empty() {
        return Ok(None);
    }
    let (step, rest) = read_varint(data).ok_or(UNREADABLE_POSTING)?;
    let (halves, rest) = match step & 1 {
        0 => (u64::from(SINGLE_OCCURRENCE), rest),
        _ => read_varint(rest).ok_or(UNREADABLE_POSTING)?,
    };
    let (&length, rest) = rest.split_first().ok_or(UNREADABLE_POSTING)?;
    let lesson = u64::from(before) + 1 + (step >> 1);
    let posting = Posting {
        lesson: u32::try_from(lesson).map_err(|_| UNREADABLE_POSTING)?,
        halves: u32::try_from(halves).map_err(|_| UNREADABLE_POSTING)?,
        length,
    };
    Ok(Some((posting, rest)))
}

/// Reads a varint of at most 35 bits, and returns it with the remaining bytes.
#[inline]
fn read_varint(data: &[u8]) -> Option<(u64, &[u8])> {
    let (&byte, mut rest) = data.split_first()?;
    let mut value = u64::from(byte & 0x7f);
    let mut shift = 7;
    let mut more = byte & 0x80 != 0;
    while more {
        let (&byte, after) = rest.split_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        more = byte & 0x80 != 0;
        shift += 7;
        if more && shift > 28 {
            return None;
        }
        rest = after;
    }
    Some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CHUNK_BYTES: usize = 40;

    fn postings() -> impl Strategy<Value = Vec<Posting>> {
        let halves = prop_oneof![Just(2_u32), any::<u32>()];
        prop::collection::btree_map(1_u32.., (halves, any::<u8>()), 0..60).prop_map(|by_lesson| {
            let posting = |(lesson, (halves, length))| Posting {
                lesson,
                halves,
                length,
            };
            by_lesson.into_iter().map(posting).collect()
        })
    }

    proptest! {
        #[test]
        fn what_was_packed_is_unpacked(postings in postings()) {
            let mut unpacked = Vec::new();
            for (base, data) in pack_postings(0, &postings, CHUNK_BYTES).unwrap() {
                prop_assert!(data.len() <= CHUNK_BYTES);
                unpacked.extend(unpack_chunk(base, &data).unwrap());
            }
            prop_assert_eq!(unpacked, postings);
        }

        #[test]
        fn what_was_inserted_can_be_removed(postings in postings(), place: prop::sample::Index) {
            prop_assume!(!postings.is_empty());
            let posting = postings[place.index(postings.len())];
            let others: Vec<Posting> = postings.iter().copied().filter(|it| *it != posting).collect();
            let whole = |postings: &[Posting]| pack_postings(0, postings, usize::MAX).unwrap().remove(0).1;
            let (with, without) = (whole(&postings), whole(&others));
            let inserted = insert_postings((0, &without), &[posting], usize::MAX).unwrap();
            prop_assert_eq!(inserted, vec![(0, with.clone())]);
            let removed = remove_posting((0, &with), posting.lesson, usize::MAX).unwrap();
            prop_assert_eq!(removed, vec![(0, without.clone())]);
            prop_assert!(remove_posting((0, &without), posting.lesson, usize::MAX).is_err());
        }

        #[test]
        fn any_bytes_are_postings_or_damaged(base: u32, data: Vec<u8>) {
            for posting in unpack_chunk(base, &data).unwrap_or_default() {
                prop_assert!(posting.lesson > base);
            }
        }

        #[test]
        fn reading_in_two_parts_is_reading_once(postings in postings(), last: u32) {
            let mut data = Vec::new();
            let mut before = 0;
            for posting in &postings {
                push_posting(&mut data, before, *posting).unwrap();
                before = posting.lesson;
            }
            let mut read = Vec::new();
            let (before, rest) = for_each_until(0, &data, last, |posting| read.push(posting)).unwrap();
            prop_assert!(read.iter().all(|posting| posting.lesson <= last));
            read.extend(unpack_chunk(before, rest).unwrap());
            prop_assert_eq!(read, postings);
        }
    }

    #[test]
    fn damaged_bytes_are_told() {
        let check = |base, data: &[u8], expected: bool| {
            assert_eq!(
                unpack_chunk(base, data).is_ok(),
                expected,
                "{base} {data:?}"
            );
        };
        check(0, &[], true);
        check(0, &[0, 7], true);
        check(0, &[0], false);
        check(0, &[1, 3], false);
        check(0, &[0x80], false);
        check(u32::MAX, &[0, 7], false);
        check(0, &[0xff, 0xff, 0xff, 0xff, 0xff, 1, 7], false);
    }
}
