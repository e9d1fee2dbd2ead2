-- A worker ends what nobody decided in time: it finds the open ones without reading the others.
CREATE INDEX confirmations_open ON confirmations (expires_at) WHERE status IN ('pending', 'awaiting_phrase');
