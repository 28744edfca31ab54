/** Written into the file; another number is another layout. */
export const SCHEMA_VERSION = 1;

/** Times are Unix milliseconds. `id` of an event is internal: outside, an event is known by stream and number. */
export const SCHEMA_SQL = `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    epoch TEXT NOT NULL,
    head INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES streams (id),
    number INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (stream_id, number)
  ) STRICT;
  CREATE TABLE snapshots (
    stream_id INTEGER PRIMARY KEY REFERENCES streams (id),
    number INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE kv (
    space TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at_ms INTEGER,
    PRIMARY KEY (space, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX kv_by_expiry ON kv (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
  CREATE TABLE blobs (
    handle TEXT PRIMARY KEY,
    media_type TEXT NOT NULL,
    body BLOB NOT NULL
  ) STRICT
`;
