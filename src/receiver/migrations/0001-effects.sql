-- The embedded destination: one row per effect, written once. `ledger_*` tell which ledger sent it and how far that
-- ledger had come, so that an older copy of the ledger is recognised. Append-only once released.

CREATE TABLE meta (
  key   TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE effects (
  operation_id    TEXT    NOT NULL PRIMARY KEY CHECK (operation_id <> ''),
  sequence        INTEGER NOT NULL UNIQUE CHECK (sequence >= 1),
  payload         BLOB    NOT NULL,
  payload_sha256  TEXT    NOT NULL CHECK (length(payload_sha256) = 64),
  attempt         INTEGER NOT NULL CHECK (attempt >= 1),
  ledger_id       TEXT    NOT NULL,
  ledger_sequence INTEGER NOT NULL,
  ledger_hash     TEXT    NOT NULL,
  recorded_at_ms  INTEGER NOT NULL
) STRICT;

CREATE TRIGGER effects_never_change BEFORE UPDATE ON effects
BEGIN SELECT RAISE(ABORT, 'an effect never changes'); END;
CREATE TRIGGER effects_are_kept BEFORE DELETE ON effects
BEGIN SELECT RAISE(ABORT, 'an effect is never deleted'); END;
-- INSERT OR REPLACE removes a row without firing its DELETE trigger.
CREATE TRIGGER effects_are_written_once BEFORE INSERT ON effects
WHEN EXISTS (SELECT 1 FROM effects WHERE operation_id = new.operation_id OR sequence = new.sequence)
BEGIN SELECT RAISE(ABORT, 'an effect is written once'); END;
