/**
 * Services for n8n's queue mode: a real Redis and a real PostgreSQL, on loopback and in a temporary
 * folder.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { findFreePort } from '../../sandbox/start/n8n/ports.mts';

export interface QueueServices {
	/** Environment variables with which n8n uses them. */
	environment: Record<string, string>;
	/** Queries n8n's database. */
	query: (sql: string) => Array<Record<string, unknown>>;
	close: () => Promise<void>;
}

/** Starts both services. Requires `redis-server`, `initdb`, `postgres` and `psql` on the PATH. */
export async function startQueueServices(): Promise<QueueServices> {
	for (const program of ['redis-server', 'initdb', 'postgres', 'psql']) {
		if (spawnSync(program, ['--version']).error) {
			throw new Error(`${program} is not on the PATH: install Redis and PostgreSQL for this test.`);
		}
	}
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-queue-'));
	chmodSync(folder, 0o755);
	const user = postgresUser();
	const database = join(folder, 'postgres');
	mkdirSync(database, { mode: 0o700 });
	if (user.uid !== undefined && user.gid !== undefined) chownSync(database, user.uid, user.gid);
	const redisPort = await findFreePort();
	const postgresPort = await findFreePort();

	const initialized = spawnSync('initdb', ['-D', database, '-U', 'n8n', '-A', 'trust'], {
		...user,
		cwd: database,
		encoding: 'utf8',
	});
	if (initialized.status !== 0) throw new Error(`initdb: ${initialized.stderr}`);
	const postgres = spawn(
		'postgres',
		['-D', database, '-k', database, '-h', '127.0.0.1', '-p', String(postgresPort), '-F'],
		{ ...user, cwd: database, stdio: 'ignore' },
	);
	const redis = spawn(
		'redis-server',
		['--bind', '127.0.0.1', '--port', String(redisPort), '--save', '', '--dir', folder],
		{ stdio: 'ignore' },
	);
	await Promise.all([untilListening(postgres, postgresPort), untilListening(redis, redisPort)]);

	const query: QueueServices['query'] = (sql) => {
		const rows = `SELECT coalesce(json_agg(row), '[]') FROM (${sql}) row`;
		const address = ['-h', '127.0.0.1', '-p', String(postgresPort), '-U', 'n8n', '-d', 'postgres'];
		const answer = spawnSync('psql', [...address, '-At', '-c', rows], {
			encoding: 'utf8',
			maxBuffer: 2 ** 28,
		});
		if (answer.status !== 0) throw new Error(answer.stderr);
		return JSON.parse(answer.stdout) as Array<Record<string, unknown>>;
	};
	const close = async () => {
		for (const child of [redis, postgres]) {
			if (child.exitCode !== null) continue;
			const ended = once(child, 'exit');
			// PostgreSQL's "immediate shutdown": the database isn't needed anymore.
			child.kill(child === postgres ? 'SIGQUIT' : 'SIGTERM');
			await ended;
		}
		rmSync(folder, { recursive: true, force: true });
	};
	return {
		environment: {
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redisPort),
			// How soon a dead worker's job goes to another worker; n8n's defaults are 60 and 30 seconds.
			QUEUE_WORKER_LOCK_DURATION: '4000',
			QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
			QUEUE_WORKER_STALLED_INTERVAL: '2000',
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(postgresPort),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_PASSWORD: 'any',
		},
		query,
		close,
	};
}

/** Returns the user that its package has created, because PostgreSQL doesn't run as root. */
function postgresUser(): { uid?: number; gid?: number } {
	if (process.getuid?.() !== 0) return {};
	const number = (option: string) =>
		Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout.trim());
	return { uid: number('-u'), gid: number('-g') };
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
	for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
		const socket = connect(port, '127.0.0.1');
		const isConnected = await once(socket, 'connect').then(
			() => true,
			() => false,
		);
		socket.destroy();
		if (isConnected) return;
		await sleep(100);
	}
	throw new Error(`${child.spawnfile} does not listen`);
}
