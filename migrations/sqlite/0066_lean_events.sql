-- Each new agent asks for the template that has its name. Events lose no index here: their place is `seq`.
CREATE INDEX marketplace_items_by_name ON marketplace_items (kind, name_key);
