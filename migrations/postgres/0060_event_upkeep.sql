-- A read of a conversation tells of itself in the commit of its audit row: that role may add events, and see none.
GRANT INSERT ON events TO toolcrib_audit;
CREATE POLICY batches ON events FOR INSERT TO toolcrib_audit WITH CHECK (true);
-- Whoever keeps house removes old events.
GRANT DELETE ON events TO toolcrib_worker;
