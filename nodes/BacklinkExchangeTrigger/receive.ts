import type { KeyObject } from 'crypto';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { credentialName } from '../shared/connection';
import { eventKey, isServiceEvent } from '../shared/events';
import { parseJson } from '../shared/response';
import { type ReceivedEvent, readEvents } from './payload';
import { deliveryKey, RecentDeliveries } from './recentDeliveries';
import {
	keysOf,
	type Refusal,
	type SignatureEncoding,
	type SignedContent,
	verifySignature,
} from './signature';

const recentDeliveries = new RecentDeliveries();

/** For the log: why, and how to put it right. Nothing that was received and nothing secret. */
const refusalReasons: Record<Refusal, string> = {
	noKey: 'the credential has no webhook secret',
	missingHeader: 'the header X-PB-Signature is missing',
	headerTooLong: 'the header X-PB-Signature is too long',
	malformedHeader: 'the header X-PB-Signature holds no signature of a known form',
	missingTimestamp: 'the header X-PB-Signature holds no timestamp, and the node asks for one',
	noMatch:
		'the signature does not match; check that the credential holds the secret of this webhook',
	stale: 'the timestamp is too far from the time of this machine; check its clock',
};

/** Headers that help to find out what happened to a delivery; never the signature. */
const deliveryHeaders = [
	'content-type',
	'user-agent',
	'x-pb-event',
	'x-pb-delivery',
	'x-request-id',
];

/**
 * Takes a delivery: verify the raw bytes first, then parse, unwrap and filter. Whatever comes in, it answers and does not
 * throw: a throw would be a failed execution.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = context.getRequestObject();
	const headers = context.getHeaderData();
	const body = await readRawBody(context);
	const options = context.getNodeParameter('options', {}) as IDataObject;

	const refusal = await findRefusal(context, body, options);
	if (refusal !== undefined) {
		context.logger.warn(
			`Backlink Exchange Trigger refused a delivery: ${refusalReasons[refusal]} (workflow ${context.getWorkflow().id ?? ''}, node "${context.getNode().name}")`,
		);
		return answer(context, 401, 'The signature could not be verified');
	}

	const events = readEvents(parseJson(body.toString('utf8')), asText(headers['x-pb-event']));
	if (events === undefined) {
		context.logger.warn(
			'Backlink Exchange Trigger received a signed delivery that is not an event',
		);
		return answer(context, 400, 'The body is not an event');
	}
	const wanted = events.filter(({ event }) => isWanted(context, event, options));
	if (wanted.length === 0)
		return answer(context, 200, 'Ignored: the workflow does not use this event');

	const minutes = Number(options.deduplicate ?? 5);
	if (minutes > 0) {
		const names = wanted.map(({ event }) => event).join();
		const key = deliveryKey([request.originalUrl, names, body]);
		if (!recentDeliveries.remember(key, minutes)) {
			return answer(context, 200, 'Received already');
		}
		forgetUnlessAccepted(context, key);
	}
	const delivery = {
		receivedAt: new Date().toISOString(),
		headers: Object.fromEntries(
			deliveryHeaders.flatMap((name) =>
				headers[name] === undefined ? [] : [[name, headers[name]]],
			),
		),
	};
	return {
		workflowData: [wanted.map((event) => ({ json: toItem(event, delivery) }))],
		webhookResponse: { message: 'Received' },
	};
}

function toItem({ event, data }: ReceivedEvent, delivery: IDataObject): IDataObject {
	return { event, eventKey: eventKey(event, data), data, source: 'webhook', delivery };
}

/** The body as received; n8n leaves it unread for content types that it does not parse. */
async function readRawBody(context: IWebhookFunctions): Promise<Buffer> {
	const request = context.getRequestObject();
	if (!Buffer.isBuffer(request.rawBody)) {
		try {
			await request.readRawBody();
		} catch {
			// Too large, or cut off: without the bytes no signature matches, and that is the answer.
		}
	}
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : Buffer.alloc(0);
}

async function findRefusal(
	context: IWebhookFunctions,
	body: Buffer,
	options: IDataObject,
): Promise<Refusal | undefined> {
	const keys = await readKeys(context);
	const verification = verifySignature(
		{ body, header: asText(context.getHeaderData()['x-pb-signature']) },
		keys,
		{
			encoding: (options.signatureEncoding ?? 'auto') as SignatureEncoding,
			signedContent: (options.signedContent ?? 'auto') as SignedContent,
			tolerance: Number(options.tolerance ?? 300),
		},
	);
	return verification.valid ? undefined : verification.refusal;
}

async function readKeys(context: IWebhookFunctions): Promise<KeyObject[]> {
	try {
		const credential = await context.getCredentials(credentialName);
		return [credential.webhookSecret, credential.previousWebhookSecret].flatMap((secret) =>
			typeof secret === 'string' ? keysOf(secret) : [],
		);
	} catch {
		// A credential that is gone or cannot be decrypted: nothing can be verified, so nothing gets in.
		return [];
	}
}

function isWanted(context: IWebhookFunctions, event: string, options: IDataObject): boolean {
	if (!isServiceEvent(event)) return options.unknownEvents === 'trigger';
	return (context.getNodeParameter('events', []) as string[]).includes(event);
}

/** If n8n answers with an error, the service sends the delivery again, and it must count then. */
function forgetUnlessAccepted(context: IWebhookFunctions, key: string): void {
	const response = context.getResponseObject();
	response.once('close', () => {
		const accepted = response.writableFinished && response.statusCode < 300;
		if (!accepted) recentDeliveries.forget(key);
	});
}

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

function asText(header: string | string[] | undefined): string | undefined {
	return Array.isArray(header) ? header.join(',') : header;
}
