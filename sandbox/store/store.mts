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
 * The SQLite file (or memory) behind the sandbox, and the clock by which everything in it happens. A row is an object whose fields
 * are the columns; undefined stands for NULL. All access is synchronous, so one statement or transaction never meets another.
 */
export class Store {
	/** Whether this start made the store, so that it has no data yet. */
	readonly isNew: boolean;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	readonly #database: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();
	#afterCommit: (() => void)[] | undefined;

	/**
	 * Opens the file, or makes it.
	 *
	 * @throws InvalidSetting when the file is no store of this version of the sandbox, or is in use; it is left as it was
	 */
	constructor(file: string, now = Date.now) {
		this.now = now;
		try {
			this.isNew = file === ':memory:' || !existsSync(file) || statSync(file).size === 0;
			if (!this.isNew) refuseForeignFile(file);
			else if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
			this.#database = openExclusively(file, this.isNew);
		} catch (error) {
			throw readable(error, file);
		}
	}

	/** The rows of which these columns have these values, the oldest first; a column that is undefined may have any. */
	rows<Row extends object>(table: string, filter: Partial<Row> = {}): Row[] {
		const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
		const where = wanted.length === 0 ? '' : `WHERE ${assignments(wanted, ' AND ')}`;
		const found = this.#prepare(`SELECT * FROM ${table} ${where} ORDER BY rowid`).all(
			...wanted.map(([, value]) => value as SQLInputValue),
		);
		return found.map((row) => withoutNulls(row) as Row);
	}

	/** Adds a row, and returns its number. */
	insert(table: string, row: object): number {
		return this.#write('INSERT', table, row);
	}

	/** Adds a row, in the place of the one that has the same key. */
	put(table: string, row: object): void {
		this.#write('INSERT OR REPLACE', table, row);
	}

	/** Changes columns of the row with this ID. */
	update(table: string, id: string | number, changes: object): void {
		const columns = Object.entries(changes);
		const values = columns.map(([, value]) => (value ?? null) as SQLInputValue);
		const sql = `UPDATE ${table} SET ${assignments(columns, ', ')} WHERE id = ?`;
		this.#prepare(sql).run(...values, id);
	}

	/** The one row of a question in SQL. */
	get(sql: string): Record<string, SQLOutputValue> | undefined {
		return this.#prepare(sql).get();
	}

	run(sql: string, ...values: SQLInputValue[]): void {
		this.#prepare(sql).run(...values);
	}

	/** Keeps all that `change` does, or nothing if it throws. A transaction inside another one is a part of it. */
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

	/** Does `action` once the transaction under way is kept, or at once when there is none, so that nothing is announced or sent that is rolled back. */
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

function assignments(columns: [string, unknown][], separator: string): string {
	return columns.map(([name]) => `${name} = ?`).join(separator);
}

function withoutNulls(row: Record<string, SQLOutputValue>): Record<string, unknown> {
	return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined]));
}

/**
 * Looks into an existing file without writing to it.
 * @throws InvalidSetting unless it is a store of this version
 */
function refuseForeignFile(file: string): void {
	const database = new DatabaseSync(file, { readOnly: true });
	const ask = (name: string) => database.prepare(`PRAGMA ${name}`).get() ?? {};
	try {
		const { application_id: identity } = ask('application_id');
		const { user_version: version } = ask('user_version');
		if (identity !== applicationId || version !== schemaVersion) {
			throw new InvalidSettingError(
				`${file} is not a store of this version of the sandbox. It was left untouched. Move it away, or choose another with --data.`,
			);
		}
	} finally {
		database.close();
	}
}

/**
 * WAL with synchronous=NORMAL: each commit is in the operating system's hands before it is answered, so a killed process loses
 * nothing (only a power cut could lose the last moments, which a sandbox may). The exclusive lock keeps a second sandbox out.
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
		// Others on the machine must not read the file, which holds API keys and the webhook secret.
		if (file !== ':memory:') chmodSync(file, 0o600);
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}

/** An error of SQLite or of the file system in words that say what to do. */
function readable(error: unknown, file: string): Error {
	if (error instanceof InvalidSettingError) return error;
	const reason = error instanceof Error ? error.message : String(error);
	return new InvalidSettingError(
		/locked|busy/i.test(reason)
			? `${file} is in use by another sandbox. Stop the other one, or choose another with --data.`
			: `${file} cannot be read or written (${reason}). It was left as it was; choose another with --data.`,
	);
}
