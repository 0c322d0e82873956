import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { sanitize } from './formatting/message';
import { isObject } from './utils/isObject';
import { truncate } from './utils/text';

type Failure = NonNullable<NodeApiError['failure']>;

/** The most characters of what a user reads. Others' words may stand in it, and n8n keeps all of it with the execution. */
const maxMessageLength = 1000;
const maxDescriptionLength = 3000;
const maxCodeLength = 100;

/** Marks explanations: no data that a stranger wrote can carry a symbol. */
const errorResultBrand: unique symbol = Symbol('ErrorResult');

/**
 * What the user reads: what happened, and how to put it right. Made by `explanation`. A workflow may send both to Slack, so
 * nothing in them acts there, whoever chose the names in them (`plain`).
 */
export interface ErrorResult {
	readonly [errorResultBrand]: true;
	message: string;
	description: string;
	/** Code of the service (service-api.md, "Errors"), or of the network stack. */
	code?: string;
	statusCode?: number;
	failure?: Failure;
}

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
 * The result, where it is no explanation.
 * @throws NodeApiError with the words of the explanation, where it is one
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
 * The one way in which this package reports what the service or the network did. It builds a fresh NodeApiError from a
 * plain object and sets the message last, because n8n replaces a message that happens to contain the name of a system
 * error (an exchange called "superman_perm" contains EPERM).
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

/** What happened and how to put it right in one text, for where n8n shows no more than that. */
export function formatError(content: { message?: unknown; description?: unknown }): string {
	return [content.message, content.description]
		.filter((text): text is string => typeof text === 'string' && text !== '')
		.map((text) => text.replace(/\.$/, ''))
		.join('. ');
}

/** The error with the remedy in its message, which is all that n8n shows of a tool that fails. */
export function withDescriptionInMessage(error: unknown): Error {
	const content = error instanceof Error ? error : new Error(String(error));
	content.message = formatError(content);
	return content;
}

/** The same where a workflow cannot be published: n8n 2.41 does not try again by itself, even once the reason is gone. */
export function withPublishHint(error: unknown): Error {
	const content = withDescriptionInMessage(error);
	content.message += '. Then publish the workflow again.';
	return content;
}

/** The error for something that the user has entered and that cannot be used. Its message is set last for the reason given at `apiError`. */
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

/** `error.code` of each error after which credits may have been spent, so that a workflow can distinguish these from refusals. */
export const outcomeUnknownCode = 'outcome_unknown';
