/** Marks SQLite files as stores of a sandbox: the letters `BExS`. */
export const applicationId = 0x42457853;
/** Version of `schema`. Increase it with every change: stores of other versions are rejected. */
export const schemaVersion = 9;

/**
 * One table per type in records.mts, with one column per field.
 *
 * The balance isn't stored: it is the sum of the ledger, so the two can't disagree.
 */
export const schema = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE keys (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	key TEXT NOT NULL UNIQUE,
	createdAt INTEGER NOT NULL,
	revokedAt INTEGER
) STRICT;
CREATE TABLE sites (
	id TEXT NOT NULL UNIQUE,
	url TEXT NOT NULL,
	address TEXT NOT NULL UNIQUE,
	niche TEXT NOT NULL,
	dr INTEGER NOT NULL,
	createdAt INTEGER NOT NULL,
	verifiedAt INTEGER
) STRICT;
CREATE TABLE exchanges (
	id TEXT NOT NULL UNIQUE,
	direction TEXT NOT NULL CHECK (direction IN ('incoming', 'outgoing')),
	fromSite TEXT NOT NULL,
	toSite TEXT NOT NULL,
	anchor TEXT NOT NULL,
	status TEXT NOT NULL COLLATE NOCASE,
	cost REAL NOT NULL CHECK (cost >= 0),
	createdAt INTEGER NOT NULL,
	acceptedAt INTEGER,
	liveUrl TEXT,
	publishedAt INTEGER,
	isLinkGone INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX exchangesByStatus ON exchanges (status);
CREATE TABLE ledger (
	id INTEGER PRIMARY KEY,
	amount REAL NOT NULL CHECK (amount <> 0),
	kind TEXT NOT NULL CHECK (kind IN ('opening', 'exchange_accepted', 'adjustment')),
	exchangeId TEXT REFERENCES exchanges (id),
	createdAt INTEGER NOT NULL
) STRICT;
CREATE INDEX ledgerByExchange ON ledger (exchangeId);
CREATE TABLE watchdogEvents (
	id TEXT NOT NULL UNIQUE,
	exchangeId TEXT NOT NULL,
	severity TEXT NOT NULL,
	type TEXT NOT NULL,
	detail TEXT NOT NULL,
	createdAt INTEGER NOT NULL
) STRICT;
CREATE TABLE deliveries (
	id INTEGER PRIMARY KEY,
	event TEXT NOT NULL,
	exchangeId TEXT NOT NULL,
	body TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given up', 'no webhook')),
	attempts INTEGER NOT NULL DEFAULT 0,
	nextAttemptAt INTEGER,
	createdAt INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveriesByState ON deliveries (state);
CREATE TABLE attempts (
	deliveryId INTEGER NOT NULL REFERENCES deliveries (id),
	startedAt INTEGER NOT NULL,
	milliseconds INTEGER NOT NULL,
	status INTEGER,
	answer TEXT,
	error TEXT
) STRICT;
CREATE INDEX attemptsByDelivery ON attempts (deliveryId);
CREATE TABLE requests (
	id INTEGER PRIMARY KEY,
	receivedAt INTEGER NOT NULL,
	keyId INTEGER,
	method TEXT NOT NULL,
	path TEXT NOT NULL,
	endpoint TEXT,
	exchangeId TEXT,
	status INTEGER,
	fault TEXT,
	inFlight INTEGER NOT NULL
) STRICT;
CREATE TABLE quota (
	keyId INTEGER NOT NULL,
	period TEXT NOT NULL,
	startedAt INTEGER NOT NULL,
	used INTEGER NOT NULL,
	PRIMARY KEY (keyId, period)
) STRICT;
CREATE TABLE mails (
	id INTEGER PRIMARY KEY,
	receivedAt INTEGER NOT NULL,
	sender TEXT NOT NULL,
	recipients TEXT NOT NULL,
	subject TEXT NOT NULL,
	text TEXT,
	html TEXT
) STRICT;
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
`;
