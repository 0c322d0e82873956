/**
 * Requests to the trigger's production URL in a real n8n, rejected before or by the trigger. All
 * other responses in docs/webhook-trigger.md: test/engine/webhook.
 */
import { createHmac } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { triggerWorkflow } from './nodes.mts';
import { RealN8n } from './realN8n.mts';

const secret = 'the webhook secret';
let n8n: RealN8n;
let url = '';

beforeAll(async () => {
	n8n = await RealN8n.prepare({ N8N_PAYLOAD_SIZE_MAX: '1' });
	const account = { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'key' };
	await n8n.importCredential('account', { ...account, webhookSecret: secret });
	await n8n.importCredential('no secret', account);
	await n8n.importWorkflows([triggerWorkflow('first')], 'account');
	await n8n.importWorkflows([triggerWorkflow('without')], 'no secret');
	await n8n.start();
	url = await n8n.webhookUrl('first');
});

afterAll(async () => {
	await n8n.remove();
});

let numberOfEvents = 0;
/** Creates an event. Each delivery has its own, so that none is a duplicate of another. */
function event(): string {
	numberOfEvents++;
	return JSON.stringify({ id: `exc_${numberOfEvents}`, accepted_at: '2026-07-01T12:00:00Z' });
}

function sign(body: string | Buffer): string {
	return createHmac('sha256', secret).update(body).digest('hex');
}

async function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<string> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'x-pb-signature': sign(body), ...headers },
		body: new Uint8Array(Buffer.from(body)),
	});
	const text = await response.text();
	return `${response.status} ${text}`;
}

function executions(): number {
	return Number(n8n.query('SELECT count(*) AS number FROM execution_entity')[0]?.number);
}

/** Counts the executions that a request starts. n8n saves each one before it responds. */
async function countRuns(send: () => Promise<string>): Promise<{ answer: string; runs: number }> {
	const before = executions();
	const answer = await send();
	return { answer, runs: executions() - before };
}

const received = { answer: '200 {"message":"Received"}', runs: 1 };
const rejected = { answer: '401 {"message":"Couldn\'t verify the signature"}', runs: 0 };

describe('signed', () => {
	test('starts the workflow with JSON', async () => {
		expect(await countRuns(() => post(event()))).toEqual(received);
	});

	test.each([
		['no content type', ''],
		['text/plain', 'text/plain'],
		['application/octet-stream', 'application/octet-stream'],
		['application/vnd.pb+json', 'application/vnd.pb+json'],
		['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
		['application/json; charset=utf-8', 'application/json; charset=utf-8'],
		["a charset that doesn't fit the JSON", 'application/vnd.pb+json; charset=utf-16le'],
	])('starts the workflow with JSON with %s', async (_name, type) => {
		expect(await countRuns(() => post(event(), { 'content-type': type }))).toEqual(received);
	});

	test('accepts a byte order mark', async () => {
		expect(await countRuns(() => post(`\uFEFF${event()}`))).toEqual(received);
	});

	test.each([
		['gzip', gzipSync],
		['deflate', deflateSync],
	])('verifies the signature of the compressed body: %s', async (encoding, compress) => {
		const body = event();
		const headers = { 'content-encoding': encoding, 'x-pb-signature': sign(body) };
		expect(await countRuns(() => post(compress(body), headers))).toEqual(received);
	});

	test('responds 400 to an empty body, or one that is no event', async () => {
		const answer = '400 {"message":"The body isn\'t an event"}';
		expect(await countRuns(() => post(''))).toEqual({ answer, runs: 0 });
		expect(await countRuns(() => post('5'))).toEqual({ answer, runs: 0 });
		const headers = { 'content-type': 'text/plain' };
		expect(await countRuns(() => post('{"id":', headers))).toEqual({ answer, runs: 0 });
	});
});

describe('not signed', () => {
	test.each([
		['no signature', (): Record<string, string> => ({ 'x-pb-signature': '' })],
		['a wrong signature', () => ({ 'x-pb-signature': 'ab'.repeat(32) })],
		['the signature of another body', () => ({ 'x-pb-signature': sign('{}') })],
		['a stale timestamp', (body: string) => ({ 'x-pb-signature': `t=1,v1=${sign(`1.${body}`)}` })],
		['a huge header', () => ({ 'x-pb-signature': 'a'.repeat(12_000) })],
	])('responds 401 to %s', async (_name, headersFor) => {
		const body = event();
		expect(await countRuns(() => post(body, headersFor(body)))).toEqual(rejected);
	});

	test('starts nothing and writes nothing to the database when unsigned deliveries flood it', async () => {
		const headers = { 'x-pb-signature': 'ab'.repeat(32) };
		await post(event(), headers);
		const content = () =>
			['execution_entity', 'execution_data', 'workflow_statistics', 'workflow_entity'].map(
				// n8n counts the triggers of a workflow some time after its publication.
				(table) => n8n.query(`SELECT * FROM ${table}`).map((row) => ({ ...row, triggerCount: 0 })),
			);
		const before = content();
		for (let count = 0; count < 100; count++) await post(event(), headers);
		expect(content()).toEqual(before);
	});

	test('logs the reason, and nothing secret', () => {
		expect(n8n.log).toContain("rejected a delivery: the signature doesn't match");
		expect(n8n.log).toContain('rejected a delivery: it has no signature (header X-PB-Signature)');
		expect(n8n.log).not.toContain(secret);
		expect(n8n.log).not.toContain('ab'.repeat(32));
	});
});

test("doesn't activate without a secret, and n8n shows what to do, without a stack trace", async () => {
	// n8n tries several times before it gives up and saves the reason.
	const publication = () => JSON.stringify(n8n.query('SELECT * FROM workflow_publication_outbox'));
	const reasons = () =>
		publication() + JSON.stringify(n8n.query('SELECT * FROM workflow_publication_trigger_status'));
	await expect.poll(reasons, { timeout: 90_000 }).toMatch(/no webhook secret\. .*Copy the secret/);
	expect(n8n.log).not.toMatch(/no webhook secret.*\n\s+at /);
	expect(n8n.query("SELECT * FROM webhook_entity WHERE workflowId = 'without'")).toEqual([]);
});
