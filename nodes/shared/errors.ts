import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { sanitize } from './formatting/message';
import { isObject } from './utils/isObject';
import { truncate } from './utils/text';

type Failure = NonNullable<NodeApiError['failure']>;

/** Errors may contain third-party text, and n8n stores all of it with the execution. */
const maxMessageLength = 1000;
const maxDescriptionLength = 3000;
const maxCodeLength = 100;

/** Marks error results. Third-party data can't contain a symbol. */
const errorResultBrand: unique symbol = Symbol('ErrorResult');

/**
 * Error as a value, with the message (what happened) and the description (how to fix it) for the
 * user. Created by `errorResult`.
 *
 * A workflow may send both to Slack, so they are sanitized: third-party names in them can't become
 * mentions or markup there.
 */
export interface ErrorResult {
	readonly [errorResultBrand]: true;
	message: string;
	description: string;
	/** Error code of the service (service-api.md, "Errors") or of the network stack. */
	code?: string;
	statusCode?: number;
	failure?: Failure;
}

/** Creates an error result. Sanitizes its message and description, and truncates its code. */
export function errorResult(content: Omit<ErrorResult, typeof errorResultBrand>): ErrorResult {
	const { code } = content;
	return {
		[errorResultBrand]: true,
		...content,
		...sanitizeContent(content),
		...(code !== undefined && { code: truncate(code, maxCodeLength) }),
	};
}

export function isErrorResult(value: unknown): value is ErrorResult {
	return isObject(value) && errorResultBrand in value;
}

/**
 * Returns the result, or throws if it is an error result.
 *
 * @throws {NodeApiError} with the message and description of the error result
 */
export function unwrapOrThrow<Result>(
	node: INode,
	result: Result | ErrorResult,
	itemIndex?: number,
): Result {
	if (isErrorResult(result)) throw toNodeApiError(node, result, itemIndex);
	return result;
}

/**
 * Creates the NodeApiError for an error result. All errors of the service and the network are
 * reported this way.
 *
 * The message is set last, because n8n replaces a message that contains the code of a system error
 * (an exchange with the ID "superman_perm" contains EPERM).
 */
export function toNodeApiError(
	node: INode,
	errorResult: ErrorResult,
	itemIndex?: number,
): NodeApiError {
	const { message, description, code, statusCode, failure } = errorResult;
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
	content: Pick<ErrorResult, 'message' | 'description'>,
	itemIndex?: number,
): NodeOperationError {
	const { message, description } = sanitizeContent(content);
	const error = new NodeOperationError(node, message, { description, itemIndex });
	error.message = message;
	return error;
}

function sanitizeContent({ message, description }: Pick<ErrorResult, 'message' | 'description'>) {
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
