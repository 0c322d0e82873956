/**
 * Whatever the types name has an effect: one scenario, played in every dialect and with every fault. Where its transcript (each
 * answer, each delivery, the books) is the plain one's, the variant or fault does nothing, and the test fails.
 */
import { createServer } from 'node:http';

import { describe, expect, it } from 'vitest';

import {
	type Dialect,
	dialectVariants,
	numberSettingNames,
	singleVariants,
} from '../../sandbox/dialects.mts';
import { deliveryFaultKinds, type Fault, requestFaultKinds } from '../../sandbox/faults.mts';
import { listen } from '../untilTheTestEnds.mts';
import { ask, askUrl, openSandbox, secret } from './harness.mts';

const noon = Date.UTC(2026, 6, 1, 12);
/** Stands for what differs in each run and means nothing. */
const unstable = /127\.0\.0\.1:\d+|localhost:\d+|pbx_[\w-]+/g;

interface Line {
	what: string;
	status?: number;
	headers?: unknown;
	body?: string;
}

/** A receiver that holds each delivery back until nothing else arrives, so that what comes at once is seen together. */
async function openSlowReceiver(lines: Line[]): Promise<string> {
	let underWay = 0;
	const server = createServer((request, response) => {
		void (async () => {
			const chunks: Buffer[] = [];
			for await (const chunk of request) chunks.push(chunk as Buffer);
			underWay += 1;
			lines.push({
				what: `delivery, ${underWay} at once`,
				headers: [request.headers['x-pb-signature'], request.headers['x-pb-event']],
				body: Buffer.concat(chunks).toString(),
			});
			await new Promise((resolve) => setTimeout(resolve, 10));
			underWay -= 1;
			response.end();
		})();
	});
	return `http://127.0.0.1:${await listen(server)}/`;
}

/** Plays the scenario; `settings` and `fault` are what is looked at. */
async function transcript(settings: Partial<Dialect>, fault?: Fault): Promise<string> {
	const lines: Line[] = [];
	const deliveries: Line[] = [];
	let now = noon;
	const sandbox = await openSandbox({
		clock: () => now,
		credits: 25,
		dialect: settings,
		webhook: { url: await openSlowReceiver(deliveries), secret },
		delivery: { lateMilliseconds: 100 },
		limits: { perMinute: 21 },
	});
	const note = async (what: string, answer: ReturnType<typeof ask>) => {
		try {
			const { status, headers, text } = await answer;
			const shown = ['content-type', 'retry-after', 'x-ratelimit-reset', 'link', 'date'];
			lines.push({
				what,
				status,
				headers: shown.map((name) => (name === 'date' ? off(headers.date) : headers[name])),
				body: text,
			});
		} catch {
			lines.push({ what: `${what}: no answer` });
		}
	};
	/** How far the Date header is from the sandbox's clock, in whole minutes; undefined where Node.js has set it. */
	const off = (date: string | undefined) => {
		const minutes = Math.round((Date.parse(date ?? '') - now) / 60_000);
		return Math.abs(minutes) < 1000 ? minutes : undefined;
	};

	for (const id of ['a', 'b', 'c']) {
		sandbox.requestOffer({ id, fromSite: `https://${id}.example/` });
		now += 20_000;
	}
	now += 1_000_000;
	if (fault) sandbox.addFault(fault);
	await note('accept', ask(sandbox, 'POST /exchanges/a/accept'));
	await note('the list', ask(sandbox, 'GET /exchanges'));
	await note('the accepted ones', ask(sandbox, 'GET /exchanges?status=accepted'));
	now += 6_000;
	await note('the list a little later', ask(sandbox, 'GET /exchanges'));
	await note('accept again', ask(sandbox, 'POST /exchanges/a/accept'));
	await note('accept too many', ask(sandbox, 'POST /exchanges/b/accept'));
	await note('accept too many', ask(sandbox, 'POST /exchanges/c/accept'));
	await note('accept nothing', ask(sandbox, 'POST /exchanges/nothing/accept'));
	sandbox.alert({ exchangeId: 'a' });
	await note('alerts', ask(sandbox, 'GET /watchdog/events'));
	await note('balance', ask(sandbox, 'GET /credits/balance'));
	await note(
		'add',
		ask(sandbox, 'POST /sites', { json: { url: 'https://a.example', niche: 'x' } }),
	);
	await note('sites', ask(sandbox, 'GET /sites'));
	await note('no key', askUrl('GET', `${sandbox.baseUrl}/sites`));
	for (let request = 0; request < 12; request += 1) await ask(sandbox, 'GET /nothing');
	await note('too many', ask(sandbox, 'GET /sites'));
	now += 1_000_000;
	await note('the list in the end', ask(sandbox, 'GET /exchanges'));
	await sandbox.settled();
	lines.push(...deliveries);
	lines.push({ what: 'books', body: JSON.stringify(sandbox.books.ledger().toReversed()) });
	return JSON.stringify(lines, undefined, 1).replaceAll(unstable, 'HOST');
}

const played = new Map<string, Promise<string>>();
/** Each of those that others are compared with is played once. */
function baseTranscript(settings: Partial<Dialect>): Promise<string> {
	const key = JSON.stringify(settings);
	const known = played.get(key) ?? transcript(settings);
	played.set(key, known);
	return known;
}

/** What only takes time shows in no transcript; faults.test.mts and deliveries.test.mts look at it. */
const takesTime = ['delay-before-commit', 'delay-after-commit', 'late-delivery'];

/** What a variant needs in order to show at all. */
const needs: { [Setting in keyof Dialect]?: Partial<Dialect> } = {
	pagination: { pageSize: 2 },
	pageSize: { pagination: 'link' },
	exchangeList: { listLagSeconds: 30 },
	listLagSeconds: { exchangeList: 'lagging' },
	settlementSeconds: { settlement: 'later' },
};
const numbers: Record<(typeof numberSettingNames)[number], number> = {
	pageSize: 1,
	listLagSeconds: 1,
	balanceLagSeconds: 1_000_000,
	settlementSeconds: 1_000,
	clockSkewSeconds: 120,
};

describe('each variant of a setting shows', () => {
	for (const { name, setting, settings } of singleVariants()) {
		const [plain] = dialectVariants[setting];
		if (settings[setting] === plain || settings.delivery === 'late') continue;
		it(name, async () => {
			const base = needs[setting] ?? {};
			expect(await transcript({ ...base, ...settings })).not.toBe(await baseTranscript(base));
		});
	}
	for (const name of numberSettingNames) {
		it(`${name}=${numbers[name]}`, async () => {
			const base = needs[name] ?? {};
			const changed = await transcript({ ...base, [name]: numbers[name] });
			expect(changed).not.toBe(await baseTranscript(base));
		});
	}
});

describe('each fault shows', () => {
	for (const kind of [...requestFaultKinds, ...deliveryFaultKinds].filter(
		(each) => !takesTime.includes(each),
	)) {
		it(kind, async () => {
			const base = kind === 'skewed-delivery' ? { signatureHeader: 'timestamped' as const } : {};
			// It shows in a list only.
			const hits = kind === 'odd-entries' ? { method: 'GET' } : {};
			expect(await transcript(base, { kind, ...hits })).not.toBe(await baseTranscript(base));
		});
	}
});

it('the scenario gives the same transcript twice', async () => {
	expect(await transcript({})).toBe(await transcript({}));
});
