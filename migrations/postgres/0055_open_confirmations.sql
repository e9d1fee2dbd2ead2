-- A worker ends what nobody decided in time: it finds the open ones without reading the others. It ends each inside the
-- workspace that it belongs to, as requests do.
CREATE INDEX confirmations_open ON confirmations (expires_at) WHERE status IN ('pending', 'awaiting_phrase');
