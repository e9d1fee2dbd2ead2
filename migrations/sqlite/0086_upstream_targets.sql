-- What an approval of a call to an upstream is bound to: the path of its target and the version that the upstream gave.
ALTER TABLE confirmations ADD COLUMN upstream_target TEXT;
