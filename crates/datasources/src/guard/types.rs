//! The allow-list of types for casts: plain data types, no type that looks up names.

use sqlparser::ast::{ArrayElemTypeDef, DataType};

use super::{Checked, Guard, refuse};
use crate::DatasourceKind;

impl Guard {
    pub(super) fn data_type(self, data_type: &DataType) -> Checked {
        match data_type {
            DataType::Character(_)
            | DataType::Char(_)
            | DataType::CharacterVarying(_)
            | DataType::CharVarying(_)
            | DataType::Varchar(_)
            | DataType::Text
            | DataType::Uuid
            | DataType::Numeric(_)
            | DataType::Decimal(_)
            | DataType::Dec(_)
            | DataType::Float(_)
            | DataType::Float4
            | DataType::Float8
            | DataType::Real
            | DataType::Double(_)
            | DataType::DoublePrecision
            | DataType::SmallInt(_)
            | DataType::Int(_)
            | DataType::Int2(_)
            | DataType::Int4(_)
            | DataType::Int8(_)
            | DataType::Integer(_)
            | DataType::BigInt(_)
            | DataType::Bool
            | DataType::Boolean
            | DataType::Date
            | DataType::Time(..)
            | DataType::Timestamp(..)
            | DataType::Datetime(_)
            | DataType::Interval { .. }
            | DataType::JSON
            | DataType::JSONB
            | DataType::Blob(_)
            | DataType::Bytea => Ok(()),
            DataType::Array(ArrayElemTypeDef::SquareBracket(of, _)) => {
                self.only(DatasourceKind::Postgres, "an array")?;
                self.data_type(of)
            }
            other => refuse(format!("the type `{}` is not allowed here", crate::said(&other.to_string()))),
        }
    }
}
