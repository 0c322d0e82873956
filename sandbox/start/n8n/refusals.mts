import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** n8n writes its log a moment after it has answered. */
const patience = { looks: 10, milliseconds: 50 };
const mostBytes = 100_000;
const refusal = /Backlink Exchange Webhook Trigger (refused .+|.*cannot be read.*)/;

/**
 * Remembers where n8n's log ends now; what it returns gives the trigger's reason for a refusal that has been written since, if any.
 */
export function watchForRefusal(logFile: string): () => Promise<string | undefined> {
	const begin = readFrom(logFile, Number.POSITIVE_INFINITY).end;
	return async () => {
		for (let look = 0; look < patience.looks; look += 1) {
			const found = refusal.exec(readFrom(logFile, begin).text)?.[0];
			if (found !== undefined) return found;
			await sleep(patience.milliseconds);
		}
		return undefined;
	};
}

/** What a log says; one that somebody has deleted says nothing. */
function readFrom(file: string, begin: number): { text: string; end: number } {
	if (!existsSync(file)) return { text: '', end: 0 };
	const descriptor = openSync(file, 'r');
	try {
		const end = fstatSync(descriptor).size;
		const bytes = Buffer.alloc(Math.max(0, Math.min(end - begin, mostBytes)));
		readSync(descriptor, bytes, 0, bytes.length, begin === Number.POSITIVE_INFINITY ? 0 : begin);
		return { text: bytes.toString('utf8'), end };
	} finally {
		closeSync(descriptor);
	}
}
