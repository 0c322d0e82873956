/** The mark of SQLite files that are stores of a sandbox: the four letters `BExS`. */
export const applicationId = 0x42457853;
/** The version of `schema`, which goes up with every change of it; a store of another version is refused. */
export const schemaVersion = 4;

/** The balance is not kept anywhere: it is the sum of the ledger, so the two can never disagree. */
export const schema = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE api_keys (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	key TEXT NOT NULL UNIQUE,
	digest TEXT NOT NULL UNIQUE,
	created_at INTEGER NOT NULL,
	revoked_at INTEGER
) STRICT;
CREATE TABLE sites (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	url TEXT NOT NULL,
	normalised_url TEXT NOT NULL UNIQUE,
	niche TEXT NOT NULL,
	dr INTEGER NOT NULL,
	verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
	created_at INTEGER NOT NULL,
	verification_due_at INTEGER,
	verification_outcome TEXT NOT NULL
) STRICT;
CREATE TABLE exchanges (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	from_site TEXT NOT NULL,
	to_site TEXT NOT NULL,
	anchor TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'live', 'broken')),
	cost INTEGER NOT NULL CHECK (cost >= 0),
	created_at INTEGER NOT NULL,
	accepted_at INTEGER,
	live_url TEXT,
	published_at INTEGER,
	link_in_place INTEGER NOT NULL DEFAULT 1,
	settlement_due_at INTEGER
) STRICT;
CREATE INDEX exchanges_by_status ON exchanges (status);
CREATE TABLE ledger (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	amount INTEGER NOT NULL CHECK (amount <> 0),
	kind TEXT NOT NULL CHECK (kind IN ('opening', 'exchange_accepted', 'adjustment')),
	exchange_id TEXT REFERENCES exchanges (id),
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_by_exchange ON ledger (exchange_id);
CREATE TABLE watchdog_events (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	exchange_id TEXT NOT NULL,
	severity TEXT NOT NULL,
	type TEXT NOT NULL,
	detail TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE deliveries (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	event TEXT NOT NULL,
	exchange_id TEXT NOT NULL,
	body TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given up', 'no webhook')),
	attempts INTEGER NOT NULL DEFAULT 0,
	next_attempt_at INTEGER,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_by_state ON deliveries (state);
CREATE TABLE delivery_attempts (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	delivery_id INTEGER NOT NULL REFERENCES deliveries (id),
	started_at INTEGER NOT NULL,
	milliseconds INTEGER NOT NULL,
	status INTEGER,
	answer TEXT,
	error TEXT
) STRICT;
CREATE INDEX delivery_attempts_by_delivery ON delivery_attempts (delivery_id);
CREATE TABLE requests (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	received_at INTEGER NOT NULL,
	key_id INTEGER,
	method TEXT NOT NULL,
	path TEXT NOT NULL,
	endpoint TEXT,
	exchange_id TEXT,
	status INTEGER,
	fault TEXT,
	in_flight INTEGER NOT NULL
) STRICT;
CREATE TABLE quota (
	key_id INTEGER NOT NULL,
	period TEXT NOT NULL,
	started_at INTEGER NOT NULL,
	used INTEGER NOT NULL,
	PRIMARY KEY (key_id, period)
) STRICT;
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
`;
