//! Placeholder.

pub mod sqlite {
    //! Placeholder.

    pub mod index;
}
