//! Queries that analysts run. The expected rows were worked out by hand from the eight orders.

/// Queries that give the same rows on both databases.
pub const BOTH: &[(&str, &str)] = &[
    ("SELECT 1 AS one, 'a' AS a, NULL AS c", r#"[[1, "a", null]]"#),
    ("SELECT COUNT(*) FROM orders", "[[8]]"),
    ("SELECT * FROM customers WHERE country = 'DE'", r#"[[1, "Anchor Café", "Hamburg", "DE"]]"#),
    ("SELECT c.* FROM customers AS c WHERE c.city IS NULL", r#"[[3, "Mill Bakery", null, "NL"]]"#),
    ("SELECT DISTINCT status FROM orders ORDER BY status", r#"[["open"], ["paid"], ["returned"]]"#),
    (
        "SELECT status, COUNT(*) AS n FROM orders GROUP BY status HAVING COUNT(*) > 1 \
         ORDER BY n DESC, status",
        r#"[["paid", 5], ["open", 2]]"#,
    ),
    (
        "SELECT c.name, COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id \
         AND o.status = 'open' GROUP BY c.id, c.name ORDER BY c.id",
        r#"[["Anchor Café", 1], ["Quay Restaurant", 0], ["Mill Bakery", 1]]"#,
    ),
    (
        "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE amount > 29) \
         ORDER BY name",
        r#"[["Mill Bakery"], ["Quay Restaurant"]]"#,
    ),
    (
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id \
         AND o.status = 'returned')",
        r#"[["Quay Restaurant"]]"#,
    ),
    (
        "SELECT name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o \
         WHERE o.customer_id = c.id AND o.status = 'open') ORDER BY 1",
        r#"[["Quay Restaurant"]]"#,
    ),
    (
        "SELECT id, CASE WHEN amount >= 20 THEN 'big' WHEN amount >= 10 THEN 'middle' ELSE 'small' END AS \
         size FROM orders WHERE id <= 3 ORDER BY id",
        r#"[[1, "middle"], [2, "big"], [3, "small"]]"#,
    ),
    (
        "SELECT CASE status WHEN 'paid' THEN 1 ELSE 0 END FROM orders WHERE id IN (3, 4) ORDER BY id",
        "[[0], [1]]",
    ),
    (
        "WITH paid AS (SELECT * FROM orders WHERE status = 'paid'), per AS (SELECT customer_id, COUNT(*) AS \
         n FROM paid GROUP BY customer_id) SELECT customer_id, n FROM per ORDER BY customer_id",
        "[[1, 2], [2, 2], [3, 1]]",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) \
         SELECT SUM(i) AS total FROM n",
        "[[10]]",
    ),
    (
        "SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY day DESC) AS nth FROM orders \
         WHERE id < 5 ORDER BY id",
        "[[1, 3], [2, 2], [3, 1], [4, 1]]",
    ),
    (
        "SELECT id, LAG(id, 1) OVER w, SUM(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING \
         AND CURRENT ROW) FROM orders WHERE id < 4 WINDOW w AS (ORDER BY id) ORDER BY id",
        "[[1, null, 1], [2, 1, 3], [3, 2, 5]]",
    ),
    (
        "SELECT id, RANK() OVER (ORDER BY status), DENSE_RANK() OVER (ORDER BY status), NTILE(2) OVER \
         (ORDER BY id) FROM orders WHERE id IN (2, 3, 7) ORDER BY id",
        "[[2, 3, 2, 1], [3, 1, 1, 1], [7, 1, 1, 2]]",
    ),
    ("SELECT FIRST_VALUE(id) OVER (ORDER BY id DESC) FROM orders WHERE id < 3 ORDER BY id", "[[2], [2]]"),
    (
        "SELECT COUNT(*) FILTER (WHERE status = 'paid') AS paid, COUNT(DISTINCT customer_id) FROM orders",
        "[[5, 3]]",
    ),
    (
        "SELECT a.id FROM orders a JOIN orders b ON a.customer_id = b.customer_id AND a.id < b.id \
         WHERE b.status = 'open' ORDER BY a.id",
        "[[1], [2]]",
    ),
    ("SELECT name FROM customers JOIN (SELECT 2 AS id) AS t USING (id)", r#"[["Quay Restaurant"]]"#),
    ("SELECT COUNT(*) FROM customers CROSS JOIN orders", "[[24]]"),
    ("SELECT c.id, o.id FROM customers c, orders o WHERE c.id = o.customer_id AND o.id = 7", "[[3, 7]]"),
    (
        "SELECT COUNT(*) FROM customers c FULL OUTER JOIN orders o ON o.customer_id = c.id AND o.id < 3",
        "[[10]]",
    ),
    ("SELECT id FROM customers UNION SELECT customer_id FROM orders ORDER BY 1", "[[1], [2], [3]]"),
    ("SELECT id FROM customers WHERE id < 2 UNION ALL SELECT id FROM customers WHERE id < 2", "[[1], [1]]"),
    (
        "SELECT id FROM orders WHERE id < 4 EXCEPT SELECT id FROM customers WHERE id = 2 ORDER BY 1",
        "[[1], [3]]",
    ),
    ("SELECT id FROM orders INTERSECT SELECT id FROM customers ORDER BY id DESC", "[[3], [2], [1]]"),
    ("VALUES (1, 'a'), (2, 'b')", r#"[[1, "a"], [2, "b"]]"#),
    ("SELECT id FROM orders ORDER BY amount DESC NULLS LAST LIMIT 2 OFFSET 1", "[[8], [2]]"),
    (
        "SELECT name FROM customers WHERE name LIKE '%Bak%' OR city LIKE 'H_mburg' ORDER BY id",
        r#"[["Anchor Café"], ["Mill Bakery"]]"#,
    ),
    ("SELECT COUNT(*) FROM orders WHERE day BETWEEN '2026-01-09' AND '2026-01-31'", "[[3]]"),
    (
        "SELECT COUNT(*) FROM orders WHERE NOT (status = 'paid' OR status = 'open') AND amount IS NOT NULL",
        "[[1]]",
    ),
    (
        "SELECT COALESCE(city, 'unknown'), UPPER(country), LENGTH(name) FROM customers WHERE id = 3",
        r#"[["unknown", "NL", 11]]"#,
    ),
    ("SELECT NULLIF(status, 'open') FROM orders WHERE id = 3", "[[null]]"),
    ("SELECT CAST('12' AS INTEGER) + 1, CAST(12 AS TEXT), ABS(-3) WHERE ROUND(2.5) > 2", "[[13, \"12\", 3]]"),
    (
        "SELECT TRIM('  a '), REPLACE('abc', 'b', 'x'), SUBSTR('hello', 2, 3), 'a' || 'b'",
        r#"[["a", "axc", "ell", "ab"]]"#,
    ),
    ("SELECT (SELECT MAX(id) FROM orders) - (SELECT MIN(id) FROM customers)", "[[7]]"),
    ("SELECT 7 / 2, 7 % 2, -(3 - 5) * 2", "[[3, 1, 4]]"),
    ("SELECT o.\"Mixed Case\" AS \"the name\" FROM \"orders\" AS o WHERE o.id = 6", r#"[["it's"]]"#),
    (
        "SELECT id FROM orders WHERE (customer_id, status) IN ((1, 'open'), (3, 'paid')) ORDER BY id",
        "[[3], [8]]",
    ),
    ("select id -- a comment\nfrom orders /* another */ where id = 1;", "[[1]]"),
    ("SELECT id FROM orders WHERE \"Mixed Case\" IS DISTINCT FROM 'a' AND id < 3", "[[2]]"),
    ("SELECT n.x FROM (SELECT id AS x FROM orders ORDER BY amount DESC LIMIT 3) AS n", "[[4], [8], [2]]"),
];

/// Queries in PostgreSQL's own syntax.
pub const POSTGRES: &[(&str, &str)] = &[
    (
        "SELECT date_trunc('month', day)::date AS month, SUM(amount) FROM orders GROUP BY 1 ORDER BY 1",
        r#"[["2026-01-01", 138.15], ["2026-02-01", 48.35]]"#,
    ),
    (
        "SELECT EXTRACT(YEAR FROM day)::int, EXTRACT(DOW FROM day)::int FROM orders WHERE id = 1",
        "[[2026, 6]]",
    ),
    ("SELECT to_char(day, 'YYYY-MM') FROM orders WHERE id = 5", r#"[["2026-02"]]"#),
    ("SELECT (DATE '2026-03-01' - INTERVAL '1 day')::date", r#"[["2026-02-28"]]"#),
    (
        "SELECT AVG(amount)::numeric(10, 2), percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM orders",
        "[[23.31, 11.25]]",
    ),
    (
        "SELECT string_agg(name, ', ' ORDER BY name) FROM customers WHERE id < 3",
        r#"[["Anchor Café, Quay Restaurant"]]"#,
    ),
    ("SELECT array_agg(id ORDER BY id) FROM customers", r#"[["{1,2,3}"]]"#),
    ("SELECT DISTINCT ON (customer_id) id FROM orders ORDER BY customer_id, day DESC", "[[3], [6], [8]]"),
    ("SELECT id FROM orders WHERE status = ANY(ARRAY['open', 'returned']) ORDER BY id", "[[3], [5], [7]]"),
    ("SELECT name FROM customers WHERE name ILIKE 'quay%' AND name ~ '^Q'", r#"[["Quay Restaurant"]]"#),
    (
        "SELECT GREATEST(1, 3), LEAST(1, 3), split_part('a-b', '-', 2), left('hello', 2)",
        r#"[[3, 1, "b", "he"]]"#,
    ),
    (
        "SELECT country, COUNT(*) FROM customers GROUP BY ROLLUP (country) ORDER BY 1 NULLS LAST",
        r#"[["DE", 1], ["DK", 1], ["NL", 1], [null, 3]]"#,
    ),
    (
        "SELECT c.name, top.id FROM customers c CROSS JOIN LATERAL (SELECT id FROM orders o \
         WHERE o.customer_id = c.id ORDER BY amount DESC LIMIT 1) AS top WHERE c.id = 2",
        r#"[["Quay Restaurant", 4]]"#,
    ),
    (
        "SELECT '{\"a\": {\"b\": [1, 2]}}'::jsonb -> 'a' ->> 'b', jsonb_build_object('x', 1)",
        r#"[["[1, 2]", {"x": 1}]]"#,
    ),
    (
        "SELECT TIMESTAMP '2026-01-02 03:04:05' AT TIME ZONE 'UTC' IS NOT NULL, CURRENT_DATE > '2020-01-01'",
        "[[true, true]]",
    ),
    (
        "SELECT 9007199254740993, 0.1::float8, 1.5::numeric, 'NaN'::float8, TRUE",
        r#"[["9007199254740993", 0.1, 1.5, "NaN", true]]"#,
    ),
    (
        "SELECT make_interval(days => 2) > INTERVAL '1 day', age(DATE '2026-02-01', DATE '2026-01-01')",
        r#"[[true, "1 mon"]]"#,
    ),
    ("SELECT id FROM orders ORDER BY id FETCH FIRST 2 ROWS ONLY", "[[1], [2]]"),
    ("SELECT POSITION('b' IN 'abc'), SUBSTRING('hello' FROM 2 FOR 2)", r#"[[2, "el"]]"#),
    ("(SELECT 1 AS a) UNION ALL (SELECT 2) ORDER BY a", "[[1], [2]]"),
    ("SELECT count(*) FROM public.orders", "[[8]]"),
];

/// Queries in SQLite's own syntax.
pub const SQLITE: &[(&str, &str)] = &[
    (
        "SELECT strftime('%Y-%m', day) AS month, ROUND(SUM(amount), 2) FROM orders GROUP BY month \
         ORDER BY month",
        r#"[["2026-01", 138.15], ["2026-02", 48.35]]"#,
    ),
    (
        "SELECT date('2026-03-01', '-1 day'), datetime('2026-01-01', '+1 hour')",
        r#"[["2026-02-28", "2026-01-01 01:00:00"]]"#,
    ),
    ("SELECT CAST(julianday('2026-01-11') - julianday('2026-01-01') AS INTEGER)", "[[10]]"),
    (
        "SELECT IFNULL(city, '?'), IIF(id > 2, 'new', 'old'), typeof(id) FROM customers WHERE id = 3",
        r#"[["?", "new", "integer"]]"#,
    ),
    (
        "SELECT group_concat(name, ', ') FROM (SELECT name FROM customers WHERE id < 3 ORDER BY name)",
        r#"[["Anchor Café, Quay Restaurant"]]"#,
    ),
    (
        "SELECT json_extract('{\"a\": [1, 2]}', '$.a[1]'), '{\"a\": 7}' ->> 'a', json_object('x', 1)",
        r#"[[2, 7, "{\"x\":1}"]]"#,
    ),
    (
        "SELECT 9223372036854775807, 0.5, CAST('ab' AS BLOB), TRUE",
        r#"[["9223372036854775807", 0.5, "\\x6162", 1]]"#,
    ),
    ("SELECT COUNT(*) FROM main.orders WHERE status GLOB 'p*' AND id == 1", "[[1]]"),
    ("SELECT id FROM orders ORDER BY id LIMIT 1, 2", "[[2], [3]]"),
    ("SELECT [Mixed Case], `status` FROM orders WHERE id = 1", r#"[["a", "paid"]]"#),
    ("SELECT total(id), instr('abc', 'c'), unixepoch('1970-01-02') FROM customers", "[[6.0, 3, 86400]]"),
];
