//! Adds up scores and keeps the best, without a database.
//!
//! Lessons come in windows of 4,096 numbers. A window is a plain array of sums, so adding a posting is one addition;
//! only the blocks of it that were touched are scanned and cleared.

/// Lesson numbers in one window: its sums fit in the fastest processor cache, and in four pages of memory.
const WINDOW_LESSONS: u32 = 1 << 12;
/// Lesson numbers in one block, the unit that is scanned or skipped.
const BLOCK_LESSONS: u32 = 64;
/// Number of 64-bit words that give each block of a window one bit.
const TOUCHED_WORDS: usize = (WINDOW_LESSONS / BLOCK_LESSONS / 64) as usize;

/// How many candidates are gathered between two selections.
const MAX_GATHERED: usize = 2048;

/// The scores of one window's lessons.
pub(super) struct ScoreWindow {
    scores: Box<[f32; WINDOW_LESSONS as usize]>,
    /// One bit for each block that holds a score.
    touched: [u64; TOUCHED_WORDS],
}

impl ScoreWindow {
    pub(super) fn new() -> Self {
        let scores = vec![0.0; WINDOW_LESSONS as usize].into_boxed_slice();
        Self {
            scores: scores.try_into().expect("the length is the array's"),
            touched: [0; TOUCHED_WORDS],
        }
    }

    /// Returns the last lesson number of the window that holds this one.
    pub(super) fn last_lesson(lesson: u32) -> u32 {
        lesson | (WINDOW_LESSONS - 1)
    }

    /// Adds to a lesson's score; the lesson must belong to the window being filled.
    #[inline]
    pub(super) fn add_score(&mut self, lesson: u32, score: f32) {
        let place = lesson % WINDOW_LESSONS;
        self.scores[place as usize] += score;
        let block = place / BLOCK_LESSONS;
        self.touched[(block / 64) as usize] |= 1 << (block % 64);
    }

    /// Moves every score of the window that ends with `last` to `best`, and clears it.
    pub(super) fn drain_into(&mut self, last: u32, best: &mut BestLessons) {
        let first = last - (WINDOW_LESSONS - 1);
        for (word, bits) in (0..).zip(&mut self.touched) {
            while *bits != 0 {
                let start = (word * 64 + bits.trailing_zeros()) * BLOCK_LESSONS;
                *bits &= *bits - 1;
                let scores = &mut self.scores[start as usize..][..BLOCK_LESSONS as usize];
                best.offer_scores(first + start, scores);
                scores.fill(0.0);
            }
        }
    }
}

/// The best lessons seen so far.
pub(super) struct BestLessons {
    limit: usize,
    /// Score bits in the high half, lesson number in the low half: for scores above zero, the order of these integers
    /// is the order of scores, and among equal scores the order of lessons.
    gathered: Vec<u64>,
    /// The score below which a lesson is not among the best.
    floor: f32,
}

impl BestLessons {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            gathered: Vec::new(),
            floor: f32::MIN_POSITIVE,
        }
    }

    /// Considers the scores of consecutive lessons.
    fn offer_scores(&mut self, start: u32, scores: &[f32]) {
        // Scanning all of them without an early exit lets the compiler use vector instructions.
        let any = (scores.iter()).fold(false, |any, score| any | (*score >= self.floor));
        if !any {
            return;
        }
        for (lesson, score) in (start..=u32::MAX).zip(scores) {
            if *score >= self.floor {
                self.gathered
                    .push(u64::from(score.to_bits()) << 32 | u64::from(lesson));
            }
        }
        if self.gathered.len() >= MAX_GATHERED.max(2 * self.limit) {
            self.drop_worst();
        }
    }

    /// Drops all but the best.
    fn drop_worst(&mut self) {
        if self.limit == 0 {
            self.gathered.clear();
        } else if self.gathered.len() > self.limit {
            let (_, least, _) = self
                .gathered
                .select_nth_unstable_by(self.limit - 1, |a, b| b.cmp(a));
            self.floor = unpack_score(*least);
            self.gathered.truncate(self.limit);
        }
    }

    /// Returns the best lessons with their scores, by descending score, then descending lesson number.
    pub(super) fn into_sorted(mut self) -> Vec<(u32, f32)> {
        self.drop_worst();
        self.gathered.sort_unstable_by(|a, b| b.cmp(a));
        let pair = |packed: &u64| (unpack_lesson(*packed), unpack_score(*packed));
        self.gathered.iter().map(pair).collect()
    }
}

fn unpack_lesson(packed: u64) -> u32 {
    u32::try_from(packed & u64::from(u32::MAX)).expect("32 bits are left")
}

fn unpack_score(packed: u64) -> f32 {
    f32::from_bits(u32::try_from(packed >> 32).expect("32 bits are left"))
}
