import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { passesFilters } from '../shared/fields/eventFilters';
import { eventKey, isServiceEvent } from '../shared/fields/events';
import { describeJson } from '../shared/reading/content';
import { parseJson } from '../shared/service/body';
import { eventMessage } from '../shared/words/eventMessage';
import { linkOf } from '../shared/words/pageAddress';
import { log } from '../shared/words/triggerLog';
import { readEvents, type ReceivedEvent } from './payload';
import { deliveryKey, RecentDeliveries } from './recentDeliveries';
import { readSettings, type TriggerSettings } from './settings';
import { findRefusal, type Refusal } from './verify';

const recentDeliveries = new RecentDeliveries();

/** Headers that help to find out what happened to a delivery; never the signature. */
const deliveryHeaders = [
	'content-type',
	'user-agent',
	'x-pb-event',
	'x-pb-delivery',
	'x-request-id',
];

/**
 * Takes a delivery. Whatever comes in is answered, because an error that is thrown would be a failed execution.
 * @throws NodeOperationError with the reason of a refusal, to somebody who listens for a test event
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const result = await takeDelivery(context).catch(({ name }: Error): Refusal => {
		const reason = `an unexpected ${name} occurred`;
		return { status: 503, message: 'Send it again later', reason };
	});
	if (!('reason' in result)) return result;
	const { status, message, reason } = result;
	log(context, `Webhook Trigger refused a delivery: ${reason}`);
	const response = answer(context, status, message);
	// To somebody who listens for a test event, n8n's editor shows the reason only as that of a failed test.
	if (context.getMode() === 'manual') {
		// n8n answers a failed test with 500, or cuts the connection if an answer is under way, so ours has to be out by then.
		await untilSent(context);
		throw new NodeOperationError(context.getNode(), `A delivery was refused: ${reason}`, {
			description: 'None of it was used. Correct this, then listen again.',
		});
	}
	return response;
}

/** Verifies the raw bytes before anything of them is read. */
async function takeDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData | Refusal> {
	const settings = settingsOrRefusal(context);
	if ('reason' in settings) return settings;
	const headers = context.getHeaderData();
	const body = await readBody(context);

	const refusal = await findRefusal(context, body, headers['x-pb-signature']?.toString(), settings);
	if (refusal !== undefined) return refusal;

	const json = parseJson(body.toString());
	const events = readEvents(json, headers['x-pb-event']?.toString());
	if (events === undefined) {
		logUnrecognized(context, json);
		return {
			status: 400,
			message: 'The body is not an event',
			reason: 'it is signed, but its body is not an event',
		};
	}
	if (!settings.takesUnknown && events.some(({ event }) => !isServiceEvent(event))) {
		logUnrecognized(context, json);
	}
	const wanted = events.filter((event) => isWanted(event, settings));
	if (wanted.length === 0) {
		return answer(context, 200, 'Ignored: the workflow does not use this event');
	}
	const delivery = describeDelivery(headers);
	const items = wanted.map((event) => ({ json: toItem(event, delivery) }));
	const starting = { workflowData: [items], webhookResponse: { message: 'Received' } };
	return answerIfRepeated(context, body, settings) ?? starting;
}

/** A setting that cannot be used has no stand-in, so every delivery is refused until it is corrected. */
function settingsOrRefusal(context: IWebhookFunctions): TriggerSettings | Refusal {
	try {
		return readSettings(context);
	} catch (error) {
		return {
			status: 503,
			message: 'The trigger is not set up correctly; send it again later',
			reason: `a setting of the node cannot be used: ${(error as Error).message}`,
		};
	}
}

function isWanted({ event, data }: ReceivedEvent, settings: TriggerSettings): boolean {
	const isSelected = isServiceEvent(event)
		? settings.events.includes(event)
		: settings.takesUnknown;
	return isSelected && passesFilters(event, data, settings.filters);
}

/** Answers a delivery that came before; undefined for one that is new, which is remembered. */
function answerIfRepeated(
	context: IWebhookFunctions,
	body: Buffer,
	{ deduplicate }: TriggerSettings,
): IWebhookResponseData | undefined {
	// Who listens for a test event wants to see the same one again.
	if (context.getMode() === 'manual') return undefined;
	const key = deliveryKey(`${context.getWorkflow().id}/${context.getNode().id}`, body);
	const taken = recentDeliveries.take(key, deduplicate, context.getResponseObject());
	if (taken === 'new') return undefined;
	if (taken === 'accepted') return answer(context, 200, 'Already received');
	// n8n may still refuse the first of the two, so the service must not count this one as delivered.
	return answer(context, 503, 'The same delivery is being received; send it again later');
}

/** The body as received; n8n leaves it unread for content types that it does not parse. */
async function readBody(context: IWebhookFunctions): Promise<Buffer> {
	const request = context.getRequestObject();
	// A body that is too large or was cut off counts as empty: no signature matches it, so the delivery is refused.
	await request.readRawBody().catch(() => undefined);
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : Buffer.alloc(0);
}

function toItem({ event, data }: ReceivedEvent, delivery: IDataObject): IDataObject {
	const link = linkOf(data);
	return {
		event,
		message: eventMessage(event, data),
		...(link !== undefined && { link }),
		eventKey: eventKey(event, data),
		data,
		source: 'webhook',
		delivery,
	};
}

function describeDelivery(headers: Record<string, unknown>): IDataObject {
	const present = deliveryHeaders.filter((name) => headers[name] !== undefined);
	return {
		receivedAt: new Date().toISOString(),
		headers: Object.fromEntries(present.map((name) => [name, String(headers[name])])),
	};
}

function logUnrecognized(context: IWebhookFunctions, json: unknown): void {
	const received = json === undefined ? 'the body is not JSON' : describeJson(json);
	log(
		context,
		`Webhook Trigger received a signed delivery that it does not recognize: ${received}`,
	);
}

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

/** Waits until the answer has left, or the sender has gone away. */
async function untilSent(context: IWebhookFunctions): Promise<void> {
	const response = context.getResponseObject();
	if (response.writableFinished || response.destroyed) return;
	await new Promise((resolve) => response.once('finish', resolve).once('close', resolve));
}
