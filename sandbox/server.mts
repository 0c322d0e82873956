/** HTTP server for the API and the dashboard, with limited and strictly validated input. */
import Fastify, {
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
} from 'fastify';

import { ServiceError } from './errors.mts';
import type { Service } from './service/service.mts';

/** Creates the server. Bodies have a size limit, and errors have the documented body. */
export function createHttpServer(service: Service): FastifyInstance {
	const app = Fastify({
		rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : url.replaceAll('%', '%25')),
		forceCloseConnections: true,
		bodyLimit: 64 * 1024,
		// Longer than any path that Node.js accepts, so that an ID that is too long gets the same 404
		// as any unknown ID.
		routerOptions: { maxParamLength: 20_000 },
	});
	addBodyParsers(app);
	const sendError = ({ status, code, message }: ServiceError, reply: FastifyReply) =>
		reply.code(status).send({ error: { code, message } });
	app.setErrorHandler((error: FastifyError, _request, reply) =>
		sendError(toServiceError(error, service), reply),
	);
	app.setNotFoundHandler((request, reply) => {
		const message = `The page ${getPath(request)} doesn't exist. The API's endpoints start with /api.`;
		return sendError(new ServiceError(404, 'not_found', message), reply);
	});
	return app;
}

/** @throws {ServiceError} unless the content type is JSON */
export function requireJson({ headers }: FastifyRequest): void {
	if (/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return;
	const message = 'Send the header Content-Type: application/json.';
	throw new ServiceError(415, 'unsupported_media_type', message);
}

/** Checks the value of a field. */
export type Check<Value> = (value: unknown) => value is Value;
export type Checks = Record<string, Check<unknown>>;
type ValuesOf<Of extends Checks> = {
	[Name in keyof Of]: Of[Name] extends Check<infer Value> ? Value : never;
};

/** Returns a check for strings of `min` to `max` characters. */
export function text(max: number, min = 0): Check<string> {
	return (value): value is string =>
		typeof value === 'string' && value.length >= min && value.length <= max;
}

/**
 * Parses a body that has all required fields, any of the optional ones, and no others.
 *
 * @throws {ServiceError} invalid_request, with the name of the field
 */
export function parseFields<Required extends Checks, Optional extends Checks>(
	body: unknown,
	required: Required,
	optional: Optional,
): ValuesOf<Required> & Partial<ValuesOf<Optional>> {
	const fields: Record<string, unknown> = { ...(body as object | undefined) };
	const checks: Checks = { ...required, ...optional };
	for (const name of new Set([...Object.keys(required), ...Object.keys(fields)])) {
		if (Object.hasOwn(checks, name) && checks[name]?.(fields[name])) continue;
		const message =
			fields[name] === undefined
				? `The field "${name}" is missing.`
				: `The field "${name}" isn't valid.`;
		throw new ServiceError(400, 'invalid_request', message);
	}
	return fields as ValuesOf<Required> & Partial<ValuesOf<Optional>>;
}

/**
 * Converts anything thrown to an error of the service.
 *
 * Details of an internal failure go to the log, not into the response.
 */
export function toServiceError(error: FastifyError | ServiceError, service: Service): ServiceError {
	if (error instanceof ServiceError) return error;
	const { statusCode = 500, message, stack = message } = error;
	if (statusCode < 500) {
		const problem = `The request can't be read: ${message.replace(/\.$/, '')}.`;
		return new ServiceError(statusCode, 'invalid_request', problem);
	}
	service.logActivity(`The sandbox itself failed. This is a bug: ${stack}`);
	return new ServiceError(
		500,
		'internal_error',
		'The sandbox itself failed. Its terminal shows the details.',
	);
}

/** Returns the path of a request without its query. */
export function getPath(request: FastifyRequest): string {
	return request.url.split('?', 1)[0] ?? '/';
}

/**
 * Returns whether the percent-encoding of a URL is valid.
 *
 * An invalid one is taken literally, so that it gets the same 404 as any other unknown name.
 */
function isDecodable(url: string): boolean {
	try {
		decodeURIComponent(url);
		return true;
	} catch {
		return false;
	}
}

/**
 * Adds parsers for JSON, which may be missing, as in an accept.
 *
 * Bodies of other types are ignored, so that the endpoint can explain what it expects.
 */
function addBodyParsers(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	const parseJson = app.getDefaultJsonParser('error', 'error');
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
		if (body.length === 0) done(null, undefined);
		else void parseJson(request, body.toString(), done);
	});
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => {
		done(null, undefined);
	});
}
