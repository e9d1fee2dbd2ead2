//! The demo's datasource: a small shop in an SQLite file of its own, with the same orders each time.

use std::fmt::Write as _;

use toolcrib_datasources::make_file;
use toolcrib_model::{Id, Ts};

use super::{seeded_random::SeededRandom, workspaces::DAYS};
use crate::{context::AppContext, failure::Failure, private};

/// The name of the file in the workspace's folder.
const FILE: &str = "shop.db";
/// Fixed, so that the shop is the same each time.
const SEED: u64 = 4_711;
const ORDERS: u32 = 240;

const SCHEMA: &str = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, country TEXT NOT NULL,
  since TEXT NOT NULL);
CREATE TABLE products (id INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, name TEXT NOT NULL, category TEXT NOT NULL,
  price_cents INTEGER NOT NULL, stock INTEGER NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id),
  ordered_at TEXT NOT NULL, status TEXT NOT NULL, channel TEXT NOT NULL);
CREATE TABLE order_items (order_id INTEGER NOT NULL REFERENCES orders (id),
  product_id INTEGER NOT NULL REFERENCES products (id), quantity INTEGER NOT NULL, unit_price_cents INTEGER NOT NULL,
  PRIMARY KEY (order_id, product_id)) WITHOUT ROWID;
CREATE INDEX orders_by_time ON orders (ordered_at);
";

/// Name, city, country.
const CUSTOMERS: [(&str, &str, &str); 14] = [
    ("Anchor Café", "Hamburg", "DE"),
    ("Seaview Hotel", "Rostock", "DE"),
    ("North Pier Deli", "Kiel", "DE"),
    ("Lighthouse Bakery", "Bremen", "DE"),
    ("Canal Street Kitchen", "Amsterdam", "NL"),
    ("Mill Bakery", "Utrecht", "NL"),
    ("Old Harbour Tea Room", "Antwerp", "BE"),
    ("Quay Restaurant", "Copenhagen", "DK"),
    ("Gull Bistro", "Aarhus", "DK"),
    ("Ferry Kiosk", "Malmö", "SE"),
    ("Island Pantry", "Visby", "SE"),
    ("Fjord Provisions", "Bergen", "NO"),
    ("Dune Guesthouse", "Sylt", "DE"),
    ("Rope Walk Market", "Lübeck", "DE"),
];

/// SKU, name, category, price in cents.
const PRODUCTS: [(&str, &str, &str, i64); 16] = [
    ("KET-BL", "Blue kettle", "kitchen", 3_490),
    ("KET-RD", "Red kettle", "kitchen", 3_490),
    ("POT-2L", "Cooking pot, 2 l", "kitchen", 2_850),
    ("PAN-28", "Iron pan, 28 cm", "kitchen", 4_200),
    ("JAR-05", "Glass jar, 0.5 l", "storage", 210),
    ("JAR-10", "Glass jar, 1 l", "storage", 290),
    ("TIN-SQ", "Biscuit tin", "storage", 640),
    ("BOX-WD", "Wooden box", "storage", 1_150),
    ("TEA-EG", "Earl Grey, 250 g", "food", 890),
    ("TEA-MT", "Mint tea, 100 g", "food", 560),
    ("COF-ES", "Espresso beans, 1 kg", "food", 1_990),
    ("HON-HT", "Heather honey, 500 g", "food", 1_050),
    ("CUP-ST", "Stoneware cup", "table", 980),
    ("PLT-ST", "Stoneware plate", "table", 1_240),
    ("SPN-06", "Teaspoons, six", "table", 1_490),
    ("CLO-LN", "Linen tablecloth", "table", 3_900),
];

const CHANNELS: [&str; 4] = ["web", "web", "phone", "market stall"];

/// Returns the connection URL for `datasources.create`.
pub fn connection(workspace: Id) -> String {
    format!("sqlite:{workspace}/{FILE}")
}

/// Creates the workspace's file if there is none.
pub async fn make(context: &AppContext, workspace: Id, began: Ts) -> Result<(), Failure> {
    let folder = context.settings.datasource_dir.join(workspace.to_string());
    private::make_folder(&folder)?;
    Ok(make_file(&folder.join(FILE), script(began)).await?)
}

/// Returns the SQL script of the shop. Its orders are from the demo's three weeks.
fn script(began: Ts) -> String {
    let mut random = SeededRandom::new(SEED);
    let mut sql = format!("BEGIN;{SCHEMA}");
    // Writing into a string can't fail.
    for (at, (name, city, country)) in CUSTOMERS.iter().enumerate() {
        let since = day(began.plus_days(-30 - i64::from(random.below(900))));
        let _ = writeln!(
            sql,
            "INSERT INTO customers VALUES ({}, '{name}', '{city}', '{country}', '{since}');",
            at + 1
        );
    }
    for (at, (sku, name, category, price)) in PRODUCTS.iter().enumerate() {
        let stock = random.below(180);
        let _ = writeln!(
            sql,
            "INSERT INTO products VALUES ({}, '{sku}', '{name}', '{category}', {price}, {stock});",
            at + 1
        );
    }
    for order in 1..=ORDERS {
        orders(&mut sql, &mut random, order, began);
    }
    sql.push_str("COMMIT;");
    sql
}

/// Appends one order with one to four items. Late orders are not delivered yet.
fn orders(sql: &mut String, random: &mut SeededRandom, order: u32, began: Ts) {
    let seconds = DAYS * 86_400 * i64::from(order - 1) / i64::from(ORDERS);
    let at = began.plus_seconds(seconds + i64::from(random.below(5_000)));
    let customer = 1 + random.below(14);
    let channel = random.pick(&CHANNELS).copied().unwrap_or("web");
    let status = match (order, random.below(20)) {
        (_, 0) => "returned",
        (_, 1) => "cancelled",
        (225.., _) => "open",
        (205.., _) => "shipped",
        _ => "delivered",
    };
    let when = at.to_string().chars().take(19).collect::<String>().replace('T', " ");
    let _ =
        writeln!(sql, "INSERT INTO orders VALUES ({order}, {customer}, '{when}', '{status}', '{channel}');");
    let first = random.below(16);
    for item in 0..=random.below(4) {
        let at = (first + item * 5) % 16;
        let price = PRODUCTS.get(at as usize).map_or(0, |product| product.3);
        let quantity = 1 + random.below(6);
        let _ = writeln!(sql, "INSERT INTO order_items VALUES ({order}, {}, {quantity}, {price});", at + 1);
    }
}

fn day(at: Ts) -> String {
    at.to_string().chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_beginning_makes_the_same_shop() {
        let began = Ts::from_micros(1_768_471_200_000_000);
        assert_eq!(script(began), script(began));
        assert!(script(began).contains("INSERT INTO orders VALUES (240, "));
    }
}
