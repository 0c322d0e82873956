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

/** Takes a delivery. Whatever comes in, it answers and does not throw: a throw would be a failed execution. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const result = await takeDelivery(context).catch(({ name }: Error): Refusal => {
		const reason = `an unexpected ${name} occurred`;
		return { status: 503, message: 'Send it again later', reason };
	});
	if (!('reason' in result)) return result;
	const { status, message, reason } = result;
	log(context, `Trigger refused a delivery: ${reason}`);
	const response = answer(context, status, message);
	// Somebody is listening for a test event: a failed test is the one place where n8n's editor shows the reason.
	if (context.getMode() === 'manual') {
		// n8n answers a failed test with 500 and, if that is too late, cuts the connection: the answer has to be out by then.
		await isSent(context);
		throw new NodeOperationError(context.getNode(), `A delivery was refused: ${reason}`, {
			description: 'Nothing of it was used. Correct this, then listen again.',
		});
	}
	return response;
}

/** Verify the raw bytes first, then parse, unwrap and filter. */
async function takeDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData | Refusal> {
	let settings: TriggerSettings;
	try {
		settings = readSettings(context);
	} catch (error) {
		// A setting that cannot be used has no stand-in, so every delivery is refused until it is corrected.
		return {
			status: 503,
			message: 'The trigger is not set up correctly; send it again later',
			reason: `a setting of the node cannot be used: ${(error as Error).message}`,
		};
	}
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
	const { events: selected, filters, takesUnknown } = settings;
	if (!takesUnknown && events.some(({ event }) => !isServiceEvent(event))) {
		logUnrecognized(context, json);
	}
	const wanted = events.filter(
		({ event, data }) =>
			(isServiceEvent(event) ? selected.includes(event) : takesUnknown) &&
			passesFilters(event, data, filters),
	);
	if (wanted.length === 0) {
		return answer(context, 200, 'Ignored: the workflow does not use this event');
	}
	const delivery = describeDelivery(headers);
	const items = wanted.map((event) => ({ json: toItem(event, delivery) }));

	// Who listens for a test event wants to see the same one again.
	if (context.getMode() !== 'manual') {
		const key = deliveryKey(`${context.getWorkflow().id}/${context.getNode().id}`, body);
		const response = context.getResponseObject();
		const taken = recentDeliveries.take(key, settings.deduplicate, response);
		if (taken === 'accepted') return answer(context, 200, 'Already received');
		if (taken === 'pending') {
			// n8n may still refuse the first of the two, so the service must not count this one as delivered.
			return answer(context, 503, 'The same delivery is being received; send it again later');
		}
	}
	return { workflowData: [items], webhookResponse: { message: 'Received' } };
}

/** The body as received; n8n leaves it unread for content types that it does not parse. */
async function readBody(context: IWebhookFunctions): Promise<Buffer> {
	const request = context.getRequestObject();
	// A body that is too large or was cut off is taken as empty: no signature matches it, so the delivery is refused.
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
	log(context, `Trigger received a signed delivery that it does not recognize: ${received}`);
}

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

async function isSent(context: IWebhookFunctions): Promise<void> {
	const response = context.getResponseObject();
	if (response.writableFinished || response.destroyed) return;
	await new Promise((resolve) => response.once('finish', resolve).once('close', resolve));
}
