//! Writes that an upstream runs. The commit that lets a call out repeats the access decision and has the start row; the
//! request is sent once, without a transaction; another commit has the outcome row.

mod ask;
mod finish;
