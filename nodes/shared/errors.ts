import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { sanitize } from './formatting/message';
import { truncate } from './utils/text';

type Failure = NonNullable<NodeApiError['failure']>;

/** Errors may contain third-party text, and n8n stores all of it with the execution. */
const maxMessageLength = 1000;
const maxDescriptionLength = 3000;
const maxCodeLength = 100;

interface ErrorContent {
	message: string;
	description: string;
	/** Error code of the service (service-api.md, "Errors") or of the network stack. */
	code?: string;
	statusCode?: number;
	failure?: Failure;
}

/**
 * Error of the service, the network or the credential, with the message (what happened) and the
 * description (how to fix it) for the user.
 *
 * A workflow may send both to Slack, so they are sanitized: third-party names in them can't become
 * mentions or markup there.
 */
export class ServiceError extends Error {
	readonly description: string;

	readonly code: string | undefined;

	readonly statusCode: number | undefined;

	readonly failure: Failure | undefined;

	constructor(content: ErrorContent) {
		const { message, description } = sanitizeContent(content);
		super(message);
		const { code, statusCode, failure } = content;
		this.description = description;
		this.code = code === undefined ? undefined : truncate(code, maxCodeLength);
		this.statusCode = statusCode;
		this.failure = failure;
	}
}

/**
 * Returns the service's error instead of throwing it.
 *
 * @throws {unknown} any other error, such as the reason of a signal
 */
export function toServiceError(error: unknown): ServiceError {
	if (error instanceof ServiceError) return error;
	throw error;
}

/**
 * Creates the NodeApiError for an error. All errors of the service and the network are reported
 * this way.
 *
 * The message is set last, because n8n replaces a message that contains the code of a system error
 * (an exchange with the ID "superman_perm" contains EPERM).
 */
export function toNodeApiError(
	node: INode,
	{ message, description, code, statusCode, failure }: ServiceError,
	itemIndex?: number,
): NodeApiError {
	const httpCode = statusCode?.toString();
	const error = new NodeApiError(
		node,
		{ message, ...(code !== undefined && { code }) },
		{ message, description, httpCode, itemIndex, failure },
	);
	error.message = message;
	error.description = description;
	error.httpCode = httpCode ?? null;
	error.context.code = code;
	return error;
}

/** Joins message and description into one text, for places where n8n shows only the message. */
export function formatError(content: { message?: unknown; description?: unknown }): string {
	return [content.message, content.description]
		.filter((text): text is string => typeof text === 'string' && text !== '')
		.map((text) => text.replace(/\.$/, ''))
		.join('. ');
}

/**
 * Appends the description to the message of an error, and returns the same error: the message is
 * all that n8n shows of a failed tool.
 */
export function withDescriptionInMessage(error: unknown): Error {
	const content = error instanceof Error ? error : new Error(String(error));
	content.message = formatError(content);
	return content;
}

/**
 * Appends the description and "Then publish the workflow again." to the message of an error, and
 * returns the same error.
 *
 * n8n 2.41: a failed publication isn't retried, even after its cause is gone.
 */
export function withPublishHint(error: unknown): Error {
	const content = withDescriptionInMessage(error);
	content.message += '. Then publish the workflow again.';
	return content;
}

/**
 * Creates the NodeOperationError for a value from the user that isn't valid.
 *
 * The message is set last, because n8n replaces a message that contains the code of a system error.
 */
export function toNodeOperationError(
	node: INode,
	content: Pick<ErrorContent, 'message' | 'description'>,
	itemIndex?: number,
): NodeOperationError {
	const { message, description } = sanitizeContent(content);
	const error = new NodeOperationError(node, message, { description, itemIndex });
	error.message = message;
	return error;
}

function sanitizeContent({ message, description }: Pick<ErrorContent, 'message' | 'description'>) {
	return {
		message: sanitize(message, maxMessageLength),
		description: sanitize(description, maxDescriptionLength),
	};
}

/**
 * `error.code` if credits may have been spent, so that workflows can distinguish it from
 * rejections.
 */
export const outcomeUnknownCode = 'outcome_unknown';
