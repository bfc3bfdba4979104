-- The whole ledger. Times are milliseconds since the epoch (UTC) in ledger time. Append-only once released.
-- The `_once` triggers are there because INSERT OR REPLACE removes a row without firing its DELETE trigger.

CREATE TABLE meta (
  key   TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE objects (
  object_id TEXT    NOT NULL PRIMARY KEY CHECK (object_id <> ''),
  version   INTEGER NOT NULL CHECK (version >= 1),
  scope     TEXT    NOT NULL CHECK (scope <> ''),
  permitted INTEGER NOT NULL CHECK (permitted IN (0, 1))
) STRICT;

-- The body is kept as the bytes that were hashed; `execute` recomputes the identity from this row.
CREATE TABLE operations (
  sequence         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  operation_id     TEXT    NOT NULL UNIQUE CHECK (operation_id GLOB 'op-v1-*' AND length(operation_id) = 70),
  case_id          TEXT    NOT NULL CHECK (case_id <> ''),
  action           TEXT    NOT NULL CHECK (action <> ''),
  body             BLOB    NOT NULL CHECK (length(body) <= 131072),
  evidence         TEXT    NOT NULL CHECK (json_valid(evidence)),
  policy           TEXT    NOT NULL CHECK (json_valid(policy)),
  checks           TEXT    NOT NULL CHECK (json_valid(checks)),
  object_id        TEXT    NOT NULL REFERENCES objects (object_id),
  object_version   INTEGER NOT NULL,
  object_scope     TEXT    NOT NULL,
  object_explicit  INTEGER NOT NULL CHECK (object_explicit IN (0, 1)),
  evidence_id      TEXT    NOT NULL,
  policy_id        TEXT    NOT NULL,
  event_id         TEXT    NOT NULL,
  proposed_by      TEXT,
  proposed_at_ms   INTEGER NOT NULL,
  human_edited     INTEGER NOT NULL CHECK (human_edited IN (0, 1)),
  expires_at_ms    INTEGER,
  decide_by_ms     INTEGER,
  workflow_version INTEGER NOT NULL CHECK (workflow_version >= 1),
  state            TEXT    NOT NULL CHECK (state IN ('Pending', 'Approved', 'Executing', 'Unknown', 'Completed',
                     'Declined', 'Superseded', 'Expired', 'Denied', 'Withdrawn', 'Abandoned')),
  attempts         INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  revision_of      TEXT    REFERENCES operations (operation_id),
  revised_to       TEXT    REFERENCES operations (operation_id),
  -- The request that revised it: only its own retry is given the revision again.
  revision_request TEXT,
  workflow_id      TEXT,
  run_id           TEXT,
  CHECK ((workflow_id IS NULL) = (run_id IS NULL)),
  -- No attempt before the first claim, and an attempt in every state that only a claim leads to.
  CHECK (CASE WHEN state IN ('Executing', 'Unknown', 'Completed', 'Abandoned') THEN attempts >= 1 ELSE attempts = 0 END)
) STRICT;

CREATE UNIQUE INDEX one_open_operation_per_case ON operations (case_id)
  WHERE state IN ('Pending', 'Approved', 'Executing', 'Unknown');
CREATE UNIQUE INDEX one_claim_per_object ON operations (object_id)
  WHERE state IN ('Executing', 'Unknown');
CREATE INDEX operations_by_case ON operations (case_id, sequence);
CREATE INDEX open_operations_by_object ON operations (object_id, sequence)
  WHERE state IN ('Pending', 'Approved', 'Executing', 'Unknown');
CREATE INDEX operations_by_state ON operations (state, sequence);

CREATE TRIGGER operations_keep_their_content BEFORE UPDATE ON operations
WHEN old.operation_id <> new.operation_id OR old.case_id <> new.case_id OR old.action <> new.action
  OR old.body <> new.body OR old.evidence <> new.evidence OR old.policy <> new.policy OR old.checks <> new.checks
  OR old.object_id <> new.object_id OR old.object_version <> new.object_version OR old.object_scope <> new.object_scope
  OR old.object_explicit <> new.object_explicit OR old.expires_at_ms IS NOT new.expires_at_ms
  OR old.decide_by_ms IS NOT new.decide_by_ms OR new.attempts < old.attempts
BEGIN SELECT RAISE(ABORT, 'the content of an operation never changes'); END;

CREATE TRIGGER final_states_are_final BEFORE UPDATE OF state ON operations
WHEN old.state <> new.state
  AND old.state IN ('Completed', 'Declined', 'Superseded', 'Expired', 'Denied', 'Withdrawn', 'Abandoned')
BEGIN SELECT RAISE(ABORT, 'a final state never changes'); END;

CREATE TRIGGER a_claim_is_never_taken_back BEFORE UPDATE OF state ON operations
WHEN old.state IN ('Executing', 'Unknown') AND new.state NOT IN ('Executing', 'Unknown', 'Completed', 'Abandoned')
BEGIN SELECT RAISE(ABORT, 'after a claim an operation is Executing, Unknown, Completed or Abandoned'); END;

CREATE TRIGGER operations_are_kept BEFORE DELETE ON operations
BEGIN SELECT RAISE(ABORT, 'operations are never deleted'); END;
CREATE TRIGGER operations_are_written_once BEFORE INSERT ON operations
WHEN EXISTS (SELECT 1 FROM operations WHERE operation_id = new.operation_id OR sequence = new.sequence)
BEGIN SELECT RAISE(ABORT, 'an operation is written once'); END;

-- Every run that asked to be told of an operation, by workflow id: a signal reaches whatever run that id has by then.
-- `operations.workflow_id` names the one that asked last. `untold`: how many changes it has not been told of.
CREATE TABLE runs (
  operation_id TEXT    NOT NULL REFERENCES operations (operation_id),
  workflow_id  TEXT    NOT NULL CHECK (workflow_id <> ''),
  run_id       TEXT    NOT NULL CHECK (run_id <> ''),
  untold       INTEGER NOT NULL DEFAULT 0 CHECK (untold >= 0),
  PRIMARY KEY (operation_id, workflow_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX untold_runs ON runs (operation_id) WHERE untold > 0;

CREATE TRIGGER runs_are_kept BEFORE DELETE ON runs
BEGIN SELECT RAISE(ABORT, 'a run is never deleted'); END;

-- Which delivery brought which operation: the same event for another operation is a conflict.
CREATE TABLE deliveries (
  event_id     TEXT    NOT NULL PRIMARY KEY,
  operation_id TEXT    NOT NULL REFERENCES operations (operation_id),
  at_ms        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE decisions (
  operation_id  TEXT    NOT NULL PRIMARY KEY REFERENCES operations (operation_id),
  approved      INTEGER NOT NULL CHECK (approved IN (0, 1)),
  reviewer      TEXT    NOT NULL CHECK (reviewer <> ''),
  reason        TEXT,
  signature     TEXT,
  decided_at_ms INTEGER NOT NULL,
  request_id    TEXT,
  via           TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER decisions_never_change BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision never changes'); END;
CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision is never deleted'); END;
CREATE TRIGGER decisions_are_written_once BEFORE INSERT ON decisions
WHEN EXISTS (SELECT 1 FROM decisions WHERE operation_id = new.operation_id)
BEGIN SELECT RAISE(ABORT, 'a decision is written once'); END;

-- One row per claim. `attempt` is the fence: only the newest may move the operation by its silence.
CREATE TABLE attempts (
  operation_id         TEXT    NOT NULL REFERENCES operations (operation_id),
  attempt              INTEGER NOT NULL CHECK (attempt >= 1),
  claimed_at_ms        INTEGER NOT NULL,
  lease_until_ms       INTEGER NOT NULL,
  receiver_id          TEXT    NOT NULL,
  receiver_sequence    INTEGER,
  executor             TEXT    NOT NULL,
  answer               TEXT CHECK (answer IN ('created', 'exists', 'conflict')),
  answered_at_ms       INTEGER,
  answered_sequence    INTEGER,
  PRIMARY KEY (operation_id, attempt),
  CHECK ((answer IS NULL) = (answered_at_ms IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER receipts_never_change BEFORE UPDATE ON attempts
WHEN old.answer IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a stored receipt never changes'); END;
CREATE TRIGGER attempts_are_kept BEFORE DELETE ON attempts
BEGIN SELECT RAISE(ABORT, 'an attempt is never deleted'); END;
CREATE TRIGGER attempts_are_written_once BEFORE INSERT ON attempts
WHEN EXISTS (SELECT 1 FROM attempts WHERE operation_id = new.operation_id AND attempt = new.attempt)
BEGIN SELECT RAISE(ABORT, 'an attempt is written once'); END;

-- One row per look at the receiver. `discounted` says why an absence proves nothing.
CREATE TABLE observations (
  sequence          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  operation_id      TEXT    NOT NULL REFERENCES operations (operation_id),
  attempt           INTEGER NOT NULL CHECK (attempt >= 0),
  observed_at_ms    INTEGER NOT NULL,
  receiver_id       TEXT    NOT NULL,
  receiver_sequence INTEGER,
  finding           TEXT    NOT NULL CHECK (finding IN ('matching', 'conflict', 'absent', 'unavailable')),
  discounted        TEXT,
  contradiction     INTEGER NOT NULL CHECK (contradiction IN (0, 1))
) STRICT;
CREATE INDEX observations_by_operation ON observations (operation_id, sequence);

CREATE TRIGGER observations_never_change BEFORE UPDATE ON observations
BEGIN SELECT RAISE(ABORT, 'an observation never changes'); END;
CREATE TRIGGER observations_are_kept BEFORE DELETE ON observations
BEGIN SELECT RAISE(ABORT, 'an observation is never deleted'); END;
CREATE TRIGGER observations_are_written_once BEFORE INSERT ON observations
WHEN EXISTS (SELECT 1 FROM observations WHERE sequence = new.sequence)
BEGIN SELECT RAISE(ABORT, 'an observation is written once'); END;

CREATE TABLE resolutions (
  sequence       INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  operation_id   TEXT    NOT NULL REFERENCES operations (operation_id),
  attempt        INTEGER NOT NULL CHECK (attempt >= 1),
  resolution     TEXT    NOT NULL
                   CHECK (resolution IN ('effect_happened', 'effect_did_not_happen', 'ask_again', 'abandon')),
  operator       TEXT    NOT NULL CHECK (operator <> ''),
  reason         TEXT    NOT NULL CHECK (reason <> ''),
  reference      TEXT,
  resolved_at_ms INTEGER NOT NULL,
  CHECK (resolution <> 'effect_happened' OR reference IS NOT NULL)
) STRICT;
CREATE INDEX resolutions_by_operation ON resolutions (operation_id, sequence);

CREATE TRIGGER resolutions_never_change BEFORE UPDATE ON resolutions
BEGIN SELECT RAISE(ABORT, 'a resolution never changes'); END;
CREATE TRIGGER resolutions_are_kept BEFORE DELETE ON resolutions
BEGIN SELECT RAISE(ABORT, 'a resolution is never deleted'); END;
CREATE TRIGGER resolutions_are_written_once BEFORE INSERT ON resolutions
WHEN EXISTS (SELECT 1 FROM resolutions WHERE sequence = new.sequence)
BEGIN SELECT RAISE(ABORT, 'a resolution is written once'); END;

-- What a drafter answered, one row per request: the request delivered again is answered from here.
CREATE TABLE drafts (
  request_id    TEXT    NOT NULL PRIMARY KEY CHECK (request_id GLOB 'draft-v1-*' AND length(request_id) = 73),
  case_id       TEXT    NOT NULL CHECK (case_id <> ''),
  drafter       TEXT    NOT NULL CHECK (drafter <> ''),
  body          BLOB    NOT NULL CHECK (length(body) <= 131072),
  asked_at_ms   INTEGER NOT NULL,
  drafted_at_ms INTEGER NOT NULL CHECK (drafted_at_ms >= asked_at_ms)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER drafts_never_change BEFORE UPDATE ON drafts
BEGIN SELECT RAISE(ABORT, 'a draft never changes'); END;
CREATE TRIGGER drafts_are_kept BEFORE DELETE ON drafts
BEGIN SELECT RAISE(ABORT, 'a draft is never deleted'); END;
CREATE TRIGGER drafts_are_written_once BEFORE INSERT ON drafts
WHEN EXISTS (SELECT 1 FROM drafts WHERE request_id = new.request_id)
BEGIN SELECT RAISE(ABORT, 'a draft is written once'); END;

-- How far each receiver was seen to have come; a lower sequence later shows that it lost records.
CREATE TABLE receivers (
  receiver_id   TEXT    NOT NULL PRIMARY KEY,
  last_sequence INTEGER,
  first_seen_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A person looked at a ledger that lacks what others have seen of it, and let it go on. `lost_hash`: what was lacking.
CREATE TABLE restorations (
  generation     INTEGER NOT NULL PRIMARY KEY CHECK (generation >= 1),
  lost_hash      TEXT    NOT NULL,
  source         TEXT    NOT NULL,
  operator       TEXT    NOT NULL CHECK (operator <> ''),
  reason         TEXT    NOT NULL CHECK (reason <> ''),
  accepted_at_ms INTEGER NOT NULL
) STRICT;

CREATE TRIGGER restorations_never_change BEFORE UPDATE ON restorations
BEGIN SELECT RAISE(ABORT, 'an accepted restoration never changes'); END;
CREATE TRIGGER restorations_are_kept BEFORE DELETE ON restorations
BEGIN SELECT RAISE(ABORT, 'an accepted restoration is never deleted'); END;

-- Every change and every refusal, chained per subject by the hash of the previous record.
CREATE TABLE journal (
  sequence         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  subject          TEXT    NOT NULL,
  subject_sequence INTEGER NOT NULL CHECK (subject_sequence >= 1),
  at_ms            INTEGER NOT NULL,
  actor            TEXT    NOT NULL,
  what             TEXT    NOT NULL,
  detail           TEXT    NOT NULL CHECK (json_valid(detail)),
  previous_hash    TEXT    NOT NULL CHECK (length(previous_hash) = 64),
  hash             TEXT    NOT NULL CHECK (length(hash) = 64),
  UNIQUE (subject, subject_sequence)
) STRICT;

CREATE TRIGGER journal_never_changes BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_kept BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_written_once BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal WHERE sequence = new.sequence)
  OR EXISTS (SELECT 1 FROM journal WHERE subject = new.subject AND subject_sequence = new.subject_sequence)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
