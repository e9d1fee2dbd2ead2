-- A place in the chain knows the latest time that the chain had passed there; a checkpoint names the key that signed it.
ALTER TABLE audit_chain ADD COLUMN newest BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit_checkpoints ADD COLUMN public_key TEXT NOT NULL DEFAULT '';
-- No role of ours holds the rights; this stops the owner's slip of the hand too, at no cost to an INSERT.
CREATE FUNCTION refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
REVOKE ALL ON FUNCTION refuse_change() FROM PUBLIC;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON action_log EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoints EXECUTE FUNCTION refuse_change();
