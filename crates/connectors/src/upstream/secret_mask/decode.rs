//! Decodes the escapes of JSON and of URLs, one after the other.

/// The most bytes that one byte of a secret has in a body: `\u0041`.
pub const MAX_ENCODED_BYTES: usize = 6;

/// How a text is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Plain,
    /// The text of a JSON string.
    Json,
    Percent,
    /// Percent-encoded, with `+` for a space.
    Form,
}

/// One decoded escape or byte.
#[derive(Clone, Copy, Debug)]
pub struct DecodedUnit {
    decoded: [u8; 4],
    count: usize,
    /// How many bytes it has in the encoded text.
    pub width: usize,
}

impl DecodedUnit {
    pub fn bytes(self) -> impl Iterator<Item = u8> {
        self.decoded.into_iter().take(self.count)
    }

    fn byte(byte: u8, width: usize) -> Self {
        Self { decoded: [byte, 0, 0, 0], count: 1, width }
    }

    fn char(char: char, width: usize) -> Self {
        let mut decoded = [0; 4];
        let count = char.encode_utf8(&mut decoded).len();
        Self { decoded, count, width }
    }
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Json, Self::Percent, Self::Form];

    /// Returns whether a body may hold something in this encoding that is not plain.
    pub fn may_be_in(self, body: &[u8]) -> bool {
        match self {
            Self::Plain => true,
            Self::Json => body.contains(&b'\\'),
            Self::Percent => body.contains(&b'%'),
            Self::Form => body.contains(&b'+'),
        }
    }

    /// Decodes what the text begins with. `None` is the end of the text.
    pub fn next(self, text: &[u8]) -> Option<DecodedUnit> {
        let first = *text.first()?;
        let escape = match (self, first) {
            (Self::Json, b'\\') => json(text),
            (Self::Percent | Self::Form, b'%') => hex(text.get(1..3))
                .and_then(|byte| u8::try_from(byte).ok())
                .map(|byte| DecodedUnit::byte(byte, 3)),
            (Self::Form, b'+') => Some(DecodedUnit::byte(b' ', 1)),
            _ => None,
        };
        Some(escape.unwrap_or(DecodedUnit::byte(first, 1)))
    }
}

/// Decodes an escape of JSON.
fn json(text: &[u8]) -> Option<DecodedUnit> {
    let byte = match *text.get(1)? {
        b'u' => return unicode(text),
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        itself => itself,
    };
    Some(DecodedUnit::byte(byte, 2))
}

/// Decodes `\u0041`, or the two escapes of a surrogate pair.
fn unicode(text: &[u8]) -> Option<DecodedUnit> {
    let high = hex(text.get(2..6))?;
    if let Some(char) = char::from_u32(high) {
        return Some(DecodedUnit::char(char, 6));
    }
    let low = text.get(6..8).filter(|escape| *escape == b"\\u").and_then(|_| hex(text.get(8..12)))?;
    let is_pair = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    let code = is_pair.then(|| 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
    char::from_u32(code).map(|char| DecodedUnit::char(char, 12))
}

fn hex(digits: Option<&[u8]>) -> Option<u32> {
    digits?.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
}
