//! Rate limits: one bucket for each scope and class, however a call came.

pub(crate) mod keyed;
