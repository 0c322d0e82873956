import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
	DatabaseSync,
	type SQLInputValue,
	type SQLOutputValue,
	type StatementSync,
} from 'node:sqlite';

import { InvalidSettingError } from '../errors.mts';
import { applicationId, schema, schemaVersion } from './schema.mts';

/**
 * The SQLite database of the sandbox, and its clock.
 *
 * Rows are objects with the columns as fields; `undefined` stands for NULL. All access is
 * synchronous, so statements and transactions never overlap.
 */
export class Store {
	/** Whether the database was created by this start, and so has no data yet. */
	readonly isNew: boolean;
	/** Returns the time in milliseconds since 1970. */
	readonly now: () => number;
	readonly #database: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();
	#afterCommit: (() => void)[] | undefined;

	/**
	 * Opens or creates the file.
	 *
	 * @throws {InvalidSettingError} if the file isn't a store of this version, or is in use; it is
	 * left unchanged
	 */
	constructor(file: string, now = Date.now) {
		this.now = now;
		try {
			this.isNew = file === ':memory:' || !existsSync(file) || statSync(file).size === 0;
			if (!this.isNew) assertStoreFile(file);
			else if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
			this.#database = openExclusively(file, this.isNew);
		} catch (error) {
			throw toReadableError(error, file);
		}
	}

	/** Returns the rows that match all defined fields of the filter, oldest first. */
	rows<Row extends object>(table: string, filter: Partial<Row> = {}): Row[] {
		const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
		const where = conditions.length === 0 ? '' : `WHERE ${assignments(conditions, ' AND ')}`;
		const rows = this.#prepare(`SELECT * FROM ${table} ${where} ORDER BY rowid`).all(
			...conditions.map(([, value]) => value as SQLInputValue),
		);
		return rows.map((row) => replaceNulls(row) as Row);
	}

	/**
	 * Inserts a row.
	 *
	 * @returns its row ID
	 */
	insert(table: string, row: object): number {
		return this.#write('INSERT', table, row);
	}

	/** Inserts a row, or replaces the one with the same key. */
	put(table: string, row: object): void {
		this.#write('INSERT OR REPLACE', table, row);
	}

	/** Updates columns of the row with this ID. */
	update(table: string, id: string | number, changes: object): void {
		const columns = Object.entries(changes);
		const values = columns.map(([, value]) => (value ?? null) as SQLInputValue);
		const sql = `UPDATE ${table} SET ${assignments(columns, ', ')} WHERE id = ?`;
		this.#prepare(sql).run(...values, id);
	}

	/** Returns the first row of a query. */
	get(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue> | undefined {
		return this.#prepare(sql).get(...values);
	}

	run(sql: string, ...values: SQLInputValue[]): void {
		this.#prepare(sql).run(...values);
	}

	/**
	 * Commits everything that `change` does, or rolls it back if it throws.
	 *
	 * A nested transaction is part of the outer one.
	 */
	transaction<Result>(change: () => Result): Result {
		if (this.#afterCommit) return change();
		const afterCommit: (() => void)[] = [];
		this.#database.exec('BEGIN IMMEDIATE');
		this.#afterCommit = afterCommit;
		let result: Result;
		try {
			result = change();
			this.#database.exec('COMMIT');
		} catch (error) {
			this.#database.exec('ROLLBACK');
			throw error;
		} finally {
			this.#afterCommit = undefined;
		}
		for (const action of afterCommit) action();
		return result;
	}

	/**
	 * Runs an action after the current transaction, or immediately if there is none.
	 *
	 * So nothing is logged or sent that is rolled back.
	 */
	afterCommit(action: () => void): void {
		if (this.#afterCommit) this.#afterCommit.push(action);
		else action();
	}

	close(): void {
		this.#statements.clear();
		this.#database.close();
	}

	#write(verb: string, table: string, row: object): number {
		const columns = Object.keys(row);
		const values = Object.values(row).map((value: unknown) => (value ?? null) as SQLInputValue);
		const sql = `${verb} INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
		return Number(this.#prepare(sql).run(...values).lastInsertRowid);
	}

	#prepare(sql: string): StatementSync {
		let statement = this.#statements.get(sql);
		if (!statement) {
			statement = this.#database.prepare(sql);
			this.#statements.set(sql, statement);
		}
		return statement;
	}
}

/** Returns whether a file is the store of an earlier version of the sandbox. */
export function isEarlierStore(file: string): boolean {
	if (!existsSync(file)) return false;
	try {
		const { identity, version } = readVersion(file);
		return identity === applicationId && Number(version) < schemaVersion;
	} catch {
		// It isn't a SQLite file. Opening it reports that.
		return false;
	}
}

function assignments(columns: [string, unknown][], separator: string): string {
	return columns.map(([name]) => `${name} = ?`).join(separator);
}

function replaceNulls(row: Record<string, SQLOutputValue>): Record<string, unknown> {
	return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined]));
}

/**
 * Checks an existing file without writing to it.
 *
 * @throws {InvalidSettingError} unless it is a store of this version
 */
function assertStoreFile(file: string): void {
	const { identity, version } = readVersion(file);
	if (identity !== applicationId || version !== schemaVersion) {
		throw new InvalidSettingError(
			`${file} isn't a data file of this version of the sandbox. The file wasn't changed. Move it to another folder, or choose another path with --data.`,
		);
	}
}

/** Reads the version of a SQLite file without writing to it. */
function readVersion(file: string): { identity: unknown; version: unknown } {
	const database = new DatabaseSync(file, { readOnly: true });
	const getPragma = (name: string) => database.prepare(`PRAGMA ${name}`).get() ?? {};
	try {
		return {
			identity: getPragma('application_id').application_id,
			version: getPragma('user_version').user_version,
		};
	} finally {
		database.close();
	}
}

/**
 * Opens the file with an exclusive lock, which keeps a second sandbox out.
 *
 * WAL with synchronous=NORMAL: the operating system has each commit before the response is sent, so
 * a killed process loses nothing. Only a power cut could lose the last commits.
 */
function openExclusively(file: string, isNew: boolean): DatabaseSync {
	const database = new DatabaseSync(file);
	try {
		database.exec(
			'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;',
		);
		database.exec('BEGIN EXCLUSIVE');
		if (isNew) database.exec(schema);
		database.exec('COMMIT');
		// The file contains API keys and the webhook secret, so no other user may read it.
		if (file !== ':memory:') chmodSync(file, 0o600);
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}

/** Converts an error of SQLite or the file system to one that explains what to do. */
function toReadableError(error: unknown, file: string): Error {
	if (error instanceof InvalidSettingError) return error;
	const reason = error instanceof Error ? error.message : String(error);
	return new InvalidSettingError(
		/locked|busy/i.test(reason)
			? `Another sandbox uses ${file}. Stop that sandbox, or choose another path with --data.`
			: `The sandbox can't use the file ${file} (${reason}). The file wasn't changed. Choose another path with --data.`,
	);
}
