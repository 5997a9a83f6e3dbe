//! Types of which each field is a sum: what was added can be taken back to the last digit.

/// Whole numbers that are combined one by one.
pub(super) trait Sum {
    /// Returns for each number what `of` makes of it and its counterpart.
    #[must_use]
    fn combine_sums(self, other: Self, of: fn(i64, i64) -> i64) -> Self;
}

impl Sum for i64 {
    fn combine_sums(self, other: Self, of: fn(i64, i64) -> i64) -> Self {
        of(self, other)
    }
}

/// Adds and subtracts a type field by field. A number that becomes too large stays the largest.
macro_rules! sum_fields {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::lesson::sums::Sum for $name {
            fn combine_sums(self, other: Self, of: fn(i64, i64) -> i64) -> Self {
                Self { $($field: self.$field.combine_sums(other.$field, of),)+ }
            }
        }

        impl std::ops::Add for $name {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                $crate::lesson::sums::Sum::combine_sums(self, other, i64::saturating_add)
            }
        }

        impl std::ops::Sub for $name {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                $crate::lesson::sums::Sum::combine_sums(self, other, i64::saturating_sub)
            }
        }
    };
}

pub(super) use sum_fields;
