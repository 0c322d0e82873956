import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
	DatabaseSync,
	type SQLInputValue,
	type SQLOutputValue,
	type StatementSync,
} from 'node:sqlite';

import { InvalidSetting } from '../errors.mts';
import { applicationId, schema, schemaVersion } from './schema.mts';

export type Row = Record<string, SQLOutputValue>;

/** The SQLite file (or memory) behind the sandbox. All access is synchronous, so one statement or transaction never meets another. */
export class Store {
	/** Whether this start made the store, so that it has no data yet. */
	readonly isNew: boolean;
	readonly #database: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();
	#afterCommit: (() => void)[] | undefined;

	/**
	 * Opens the file, or makes it.
	 *
	 * @throws InvalidSetting when the file is no sandbox store, is damaged, was written by a newer sandbox or is in use; it is left as it was
	 */
	constructor(file: string) {
		try {
			this.isNew = file === ':memory:' || !existsSync(file) || statSync(file).size === 0;
			if (!this.isNew) refuseForeignFile(file);
			else if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
			this.#database = openExclusively(file, this.isNew);
		} catch (error) {
			throw readable(error, file);
		}
	}

	run(sql: string, ...values: SQLInputValue[]): number {
		return Number(this.#prepare(sql).run(...values).changes);
	}

	/** Runs an INSERT, and returns the number of the new row. */
	insert(sql: string, ...values: SQLInputValue[]): number {
		return Number(this.#prepare(sql).run(...values).lastInsertRowid);
	}

	get(sql: string, ...values: SQLInputValue[]): Row | undefined {
		return this.#prepare(sql).get(...values);
	}

	all(sql: string, ...values: SQLInputValue[]): Row[] {
		return this.#prepare(sql).all(...values);
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

	#prepare(sql: string): StatementSync {
		let statement = this.#statements.get(sql);
		if (!statement) {
			statement = this.#database.prepare(sql);
			this.#statements.set(sql, statement);
		}
		return statement;
	}
}

/** A column that holds text. */
export function text(row: Row, column: string): string {
	const value = row[column];
	if (typeof value !== 'string') throw new TypeError(`The column ${column} holds no text.`);
	return value;
}

export function optionalText(row: Row, column: string): string | undefined {
	return row[column] === null || row[column] === undefined ? undefined : text(row, column);
}

/** A column that holds a whole number. */
export function integer(row: Row, column: string): number {
	const value = row[column];
	if (typeof value !== 'number') throw new TypeError(`The column ${column} holds no number.`);
	return value;
}

export function optionalInteger(row: Row, column: string): number | undefined {
	return row[column] === null || row[column] === undefined ? undefined : integer(row, column);
}

/**
 * Looks into an existing file without writing to it.
 * @throws InvalidSetting unless it is an undamaged store of this version
 */
function refuseForeignFile(file: string): void {
	const advice = `It was left untouched. Move it away, or choose another with --data.`;
	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(file, { readOnly: true });
		const identity = database.prepare('PRAGMA application_id').get()?.application_id;
		const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
		if (identity !== applicationId || version !== schemaVersion) {
			throw new InvalidSetting(`${file} is not a store of this version of the sandbox. ${advice}`);
		}
		const health = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
		if (health !== 'ok') {
			throw new InvalidSetting(`${file} is damaged (${String(health)}). ${advice}`);
		}
	} finally {
		database?.close();
	}
}

/**
 * WAL with synchronous=NORMAL: each commit is in the operating system's hands before it is answered, so a killed process loses
 * nothing (only a power cut could lose the last moments, which a sandbox may). The exclusive lock keeps a second sandbox out.
 */
function openExclusively(file: string, isNew: boolean): DatabaseSync {
	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(file);
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
		database?.close();
		throw error;
	}
}

/** An error of SQLite or of the file system in words that say what to do. */
function readable(error: unknown, file: string): Error {
	if (error instanceof InvalidSetting) return error;
	const reason = error instanceof Error ? error.message : String(error);
	return new InvalidSetting(
		/locked|busy/i.test(reason)
			? `${file} is in use by another sandbox. Stop the other one, or choose another with --data.`
			: `${file} cannot be read or written (${reason}). It was left as it was; choose another with --data.`,
	);
}
