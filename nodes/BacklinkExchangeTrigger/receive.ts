import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { eventKey, isServiceEvent } from '../shared/events';
import { parseJson } from '../shared/response';
import { decodeBody, readRawBody } from './body';
import { type ReceivedEvent, readEvents } from './payload';
import { deliveryKey, RecentDeliveries } from './recentDeliveries';
import { findRefusal, readNumber } from './verify';

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
	try {
		return await takeDelivery(context);
	} catch (error) {
		log(context, `could not take a delivery (${error instanceof Error ? error.name : 'unknown'})`);
		return answer(context, 500, 'The delivery could not be taken');
	}
}

/** Verify the raw bytes first, then parse, unwrap and filter. */
async function takeDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = context.getRequestObject();
	const headers = context.getHeaderData();
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const body = await readRawBody(request);

	const refusal = await findRefusal(context, body, asText(headers['x-pb-signature']), options);
	if (refusal !== undefined) {
		log(context, `refused a delivery: ${refusal}`);
		return answer(context, 401, 'The signature could not be verified');
	}

	const json = parseJson(decodeBody(body, headers['content-type']));
	const events = readEvents(json, asText(headers['x-pb-event']));
	if (events === undefined) {
		log(context, 'received a signed delivery that is not an event');
		return answer(context, 400, 'The body is not an event');
	}
	const wanted = events.filter(({ event }) => isWanted(context, event, options));
	if (wanted.length === 0) {
		return answer(context, 200, 'Ignored: the workflow does not use this event');
	}
	const delivery = describeDelivery(headers);
	const items = wanted.map((event) => ({ json: toItem(event, delivery) }));

	const minutes = readNumber(options.deduplicate, 5);
	if (minutes > 0) {
		const names = wanted.map(({ event }) => event).join();
		const key = deliveryKey([request.originalUrl, names, body]);
		const found = await recentDeliveries.take(key, minutes, context.getResponseObject());
		if (found === 'accepted') return answer(context, 200, 'Received already');
		if (found === 'pending') {
			// Whether n8n takes it is not certain yet, so the service must not cross it off its list.
			return answer(context, 503, 'The same delivery is being received; send it again later');
		}
	}
	return { workflowData: [items], webhookResponse: { message: 'Received' } };
}

function toItem({ event, data }: ReceivedEvent, delivery: IDataObject): IDataObject {
	return { event, eventKey: eventKey(event, data), data, source: 'webhook', delivery };
}

function describeDelivery(headers: Record<string, unknown>): IDataObject {
	const present = deliveryHeaders.filter((name) => headers[name] !== undefined);
	return {
		receivedAt: new Date().toISOString(),
		headers: Object.fromEntries(present.map((name) => [name, String(headers[name])])),
	};
}

function isWanted(context: IWebhookFunctions, event: string, options: IDataObject): boolean {
	if (!isServiceEvent(event)) return options.unknownEvents === 'trigger';
	return (context.getNodeParameter('events', []) as string[]).includes(event);
}

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

function log(context: IWebhookFunctions, what: string): void {
	const place = `workflow ${context.getWorkflow().id ?? ''}, node "${context.getNode().name}"`;
	context.logger.warn(`Backlink Exchange Trigger ${what} (${place})`);
}

function asText(header: string | string[] | undefined): string | undefined {
	return Array.isArray(header) ? header.join(',') : header;
}
