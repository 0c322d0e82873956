import { createHash } from 'crypto';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { describeJson } from '../shared/api/describeResponse';
import { passesSeverities } from '../shared/descriptions/eventFilters';
import { errorMessages } from '../shared/errorMessages';
import type { AccountEvent } from '../shared/events/event.types';
import { eventToItem } from '../shared/events/eventItem';
import { warnThrottled } from '../shared/logger';
import { parseJson } from '../shared/transport/body';
import { credentialName } from '../shared/transport/credential';
import { BoundedMap } from '../shared/utils/boundedMap';
import { getText } from '../shared/utils/ids';
import { monotonicNow } from '../shared/utils/time';
import { completeEvents } from './completeEvents';
import { getParameters, type WebhookParameters } from './parameters';
import { parseEvents } from './parsePayload';
import { checkHeader, parseSecret, verifySignature } from './verifySignature';

const dedupWindowMs = 5 * 60_000;

/** When recent deliveries were received (monotonic), so that duplicates start nothing. */
const recentDeliveries = new BoundedMap<string, number>(10_000);

/** Delivery that was processed, or that the workflow ignores. */
interface AcceptedDelivery {
	kind: 'accepted';
	response: IWebhookResponseData;
}

/** Delivery that starts nothing, because it isn't valid or can't be verified now. */
interface RejectedDelivery {
	kind: 'rejected';
	status: number;
	/** For the sender, who may be anyone. */
	message: string;
	/** Cause and remedy, for the log and the editor. */
	reason: string;
}

interface AuthenticatedSender {
	kind: 'authenticated';
	credential: ICredentialDataDecryptedObject;
}

/**
 * Processes a delivery and responds to it.
 *
 * Every delivery gets a response, because an error that is thrown would be a failed execution.
 *
 * @throws {NodeOperationError} with the reason of a rejection, while the editor listens for a test
 * event
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const result = await processDelivery(context).catch((error: Error): RejectedDelivery => {
		const isParameterError = error instanceof NodeOperationError;
		const reason = isParameterError
			? `a parameter of the node isn't valid, so every delivery is rejected until you correct it: ${error.message}`
			: `an unexpected ${error.name} occurred`;
		return { kind: 'rejected', status: 503, message: 'Send the delivery again later', reason };
	});
	if (result.kind === 'accepted') return result.response;
	const { status, message, reason } = result;
	warnThrottled(context, `Webhook Trigger rejected a delivery: ${reason}`);
	const response = respond(context, status, message);
	// n8n's editor shows the reason only as the error of a failed test.
	if (context.getMode() === 'manual') {
		// n8n 2.41: a failed test gets the response 500, or its connection is closed if a response is
		// being sent, so this response must be sent by then.
		await waitForResponseSent(context);
		throw new NodeOperationError(context.getNode(), errorMessages.deliveryRejected(reason), {
			description:
				'The delivery started nothing. Fix the cause, then listen for a test event again.',
		});
	}
	return response;
}

/** Verifies the raw bytes before parsing them, then returns the items of the delivery. */
async function processDelivery(
	context: IWebhookFunctions,
): Promise<AcceptedDelivery | RejectedDelivery> {
	// A parameter that isn't valid has no fallback: every delivery is rejected until it's fixed.
	const parameters = getParameters(context);
	const headers = context.getHeaderData();
	const body = await getRawBody(context);

	const sender = await authenticate(context, body, headers['x-pb-signature']?.toString());
	if (sender.kind === 'rejected') return sender;

	const json = parseJson(body.toString());
	const { events, unknown, unusable } = parseEvents(json);
	if (events.length + unknown.length === 0) {
		const received = json === undefined ? 'no JSON' : describeJson(json);
		const lack = unusable.length > 0 ? ' with the ID of an exchange' : '';
		return {
			kind: 'rejected',
			status: 400,
			message: "The body isn't an event",
			reason: `the signature is valid, but the body isn't an event${lack} (${received})`,
		};
	}
	logOmitted(context, unknown, 'is unknown');
	logOmitted(context, unusable, 'lacks the ID of its exchange');
	const selected = events.filter((event) => isSelected(event, parameters));
	if (selected.length === 0) return ignore(context);
	if (isDuplicate(context, body)) {
		return {
			kind: 'accepted',
			response: respond(context, 200, "Already received, so the workflow didn't start again"),
		};
	}
	const receivedAt = new Date().toISOString();
	const complete = parameters.looksUpExchange
		? await lookUp(context, sender.credential, selected)
		: selected;
	const useful = complete.filter(({ type, data }) => !type.isIgnored?.(data));
	if (useful.length === 0) return ignore(context);
	const delivery = {
		receivedAt,
		deliveryId: getText(headers['x-pb-delivery'] ?? headers['x-request-id']),
	};
	const { includesRecord } = parameters;
	const itemContext = { timeZone: context.getTimezone(), includesRecord, delivery };
	const items = useful.map((event) => ({ json: eventToItem(event, itemContext) }));
	const response = { workflowData: [items], webhookResponse: { message: 'Received' } };
	return { kind: 'accepted', response };
}

/** Looks up the exchanges of events. If that fails, the events stay as they were delivered. */
async function lookUp(
	context: IWebhookFunctions,
	credential: ICredentialDataDecryptedObject,
	events: AccountEvent[],
): Promise<AccountEvent[]> {
	return await completeEvents(context, credential, events).catch(({ name, message }: Error) => {
		const reason = name === 'TimeoutError' ? 'the service takes too long' : message;
		warnThrottled(
			context,
			`Webhook Trigger couldn't look up an exchange, so its item has only what was delivered: ${reason}`,
		);
		return events;
	});
}

/** Logs the events of a delivery that don't start the workflow, by their fields. */
function logOmitted(context: IWebhookFunctions, omitted: IDataObject[], reason: string): void {
	for (const each of omitted) {
		warnThrottled(
			context,
			`Webhook Trigger: an event with a valid signature didn't start the workflow, because it ${reason} (${describeJson(each)})`,
		);
	}
}

/**
 * Returns the body as received.
 *
 * n8n 2.41: the body is still unread if n8n doesn't parse its content type.
 */
async function getRawBody(context: IWebhookFunctions): Promise<Buffer> {
	const request = context.getRequestObject();
	// A body that is too large or truncated counts as empty, so no signature matches it.
	await request.readRawBody().catch(() => undefined);
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : Buffer.alloc(0);
}

/** Verifies the signature with both secrets. */
async function authenticate(
	context: IWebhookFunctions,
	body: Buffer,
	header: string | undefined,
): Promise<RejectedDelivery | AuthenticatedSender> {
	// First, because n8n 2.41 needs some 40 ms of processor time to read the credential.
	const headerReason = checkHeader(header);
	if (headerReason !== undefined) return toInvalid(headerReason);
	// Fails if n8n's database is unavailable, or if the credential was deleted or can't be decrypted.
	const credential = await context.getCredentials(credentialName).catch(() => undefined);
	if (credential === undefined) {
		return {
			kind: 'rejected',
			status: 503,
			message: "Couldn't verify the signature now. Send the delivery again later",
			reason: "n8n couldn't read the credential. Open the credential and save it again",
		};
	}
	const keys = [credential.webhookSecret, credential.previousWebhookSecret].flatMap(parseSecret);
	const reason = verifySignature({ body, header }, keys);
	return reason === undefined ? { kind: 'authenticated', credential } : toInvalid(reason);
}

function toInvalid(reason: string): RejectedDelivery {
	return { kind: 'rejected', status: 401, message: "Couldn't verify the signature", reason };
}

function isSelected({ type, data }: AccountEvent, parameters: WebhookParameters): boolean {
	const { events, severityFilter } = parameters;
	return events.includes(type.name) && passesSeverities(data, severityFilter);
}

/**
 * Returns whether this node has received the same bytes recently, and remembers them.
 *
 * URL and headers aren't compared, because they aren't signed.
 */
function isDuplicate(context: IWebhookFunctions, body: Buffer): boolean {
	// In a test, the user wants to see a delivery that is sent again.
	if (context.getMode() === 'manual') return false;
	const node = `${context.getWorkflow().id}/${context.getNode().id}/`;
	const key = createHash('sha256').update(node).update(body).digest('base64');
	const now = monotonicNow();
	if (now - (recentDeliveries.get(key) ?? -Infinity) < dedupWindowMs) return true;
	recentDeliveries.set(key, now);
	// If n8n can't start the execution, the service sends the delivery again: that isn't a duplicate.
	const response = context.getResponseObject();
	response.once('close', () => {
		if (response.statusCode >= 300) recentDeliveries.delete(key);
	});
	return false;
}

function ignore(context: IWebhookFunctions): AcceptedDelivery {
	const message = "Ignored because the workflow doesn't use this event";
	return { kind: 'accepted', response: respond(context, 200, message) };
}

function respond(
	context: IWebhookFunctions,
	status: number,
	message: string,
): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

/** Waits until the response has been sent, or the connection was closed. */
async function waitForResponseSent(context: IWebhookFunctions): Promise<void> {
	const response = context.getResponseObject();
	if (response.writableFinished || response.destroyed) return;
	await new Promise((resolve) => response.once('finish', resolve).once('close', resolve));
}
