/** What the API and the dashboard's address have in common: a server with limited, strict input. */
import Fastify, {
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
	type FastifySchemaCompiler,
} from 'fastify';

import type { LogActivity } from './activity.mts';
import { ServiceError } from './errors.mts';

/** The settings of the validator: strict about types, because the number 5 is no url. */
const ajv = { customOptions: { coerceTypes: false, removeAdditional: false } } as const;
/** Compiling the schemas takes as long as the rest of a start, so all sandboxes of a process share the compiled ones. */
const compiler = await fastifyCompiler();
const validators = new Map<string, ReturnType<typeof compiler>>();

/** A server whose JSON is strict about types and whose bodies have a size limit. */
export function newServer(): FastifyInstance {
	const app = Fastify({
		rewriteUrl: (request) => decodable(request.url ?? '/'),
		clientErrorHandler: (_error, socket) => {
			if (!socket.writable) return;
			const body = JSON.stringify({
				error: { code: 'bad_request', message: 'This is no HTTP request.' },
			});
			socket.end(
				`HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
			);
		},
		logger: false,
		forceCloseConnections: true,
		bodyLimit: 64 * 1024,
		// This is longer than any path that Node.js accepts, so that an ID that is too long is unknown like any other.
		routerOptions: { maxParamLength: 20_000 },
	});
	app.setValidatorCompiler((route) => {
		const key = JSON.stringify(route.schema);
		const validator = validators.get(key) ?? compiler(route);
		validators.set(key, validator);
		return validator;
	});
	return app;
}

/** Reads JSON, which may be absent, as in an accept. A body that is not JSON is ignored, so that the endpoint can say what it expects. */
export function addBodyParsers(app: FastifyInstance): void {
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

/** Refuses a body that is not called JSON. */
export function needsJson(
	request: FastifyRequest,
	_reply: FastifyReply,
	done: (error?: Error) => void,
): void {
	if (/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) done();
	else {
		done(
			new ServiceError(
				415,
				'unsupported_media_type',
				'Send the header Content-Type: application/json.',
			),
		);
	}
}

/** Turns what was thrown into an answer. A failure of the sandbox itself goes into its log, not into the answer. */
export function toServiceError(
	error: FastifyError | ServiceError,
	logActivity: LogActivity,
): ServiceError {
	if (error instanceof ServiceError) return error;
	if (error.validation) {
		return new ServiceError(400, 'invalid_request', `The request is not valid: ${error.message}.`);
	}
	const status = error.statusCode ?? 500;
	if (status === 413) {
		return new ServiceError(413, 'body_too_large', 'The body of the request is too large.');
	}
	if (status >= 400 && status < 500) {
		return new ServiceError(
			400,
			'invalid_request',
			`The request cannot be read: ${error.message}.`,
		);
	}
	logActivity(`The sandbox itself failed: ${error.stack ?? error.message}`);
	return new ServiceError(
		500,
		'internal_error',
		'Something went wrong in the sandbox; its log says what.',
	);
}

/** The path of a request, without its query. */
export function pathOf(request: FastifyRequest): string {
	return request.url.split('?', 1)[0] ?? '/';
}

/** Fastify's own compiler of schemas, which a server has once it has a route with a schema. */
async function fastifyCompiler(): Promise<FastifySchemaCompiler<unknown>> {
	const app = Fastify({ ajv });
	app.get('/', { schema: { querystring: {} } }, () => undefined);
	await app.ready();
	if (app.validatorCompiler === undefined) throw new Error('Fastify has no compiler of schemas.');
	return app.validatorCompiler;
}

/** A path with broken percent-encoding is taken literally, so that it ends in the same 404 as any other unknown name. */
function decodable(url: string): string {
	try {
		decodeURIComponent(url);
		return url;
	} catch {
		return url.replaceAll('%', '%25');
	}
}
