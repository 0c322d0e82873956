/** service-api.md does not show the answers to a wrong key, an unknown path and a wrong filter. */
import type { Dialect } from '../../sandbox/dialects.mts';
import { type BodyKind, bodyWords, isObject, kindOf } from '../bodies.mts';
import type { Answer, Client } from '../client.mts';
import type { Observation } from '../report.mts';

export async function askForErrors(client: Client): Promise<Observation[]> {
	return [
		wrongKey(await client.ask({ path: '/sites', key: 'probe-with-a-wrong-key' })),
		unknownPath(await client.ask({ path: '/probe-for-an-unknown-path' })),
		wrongFilter(await client.ask({ path: '/exchanges?status=probe' })),
	];
}

function wrongKey(answer: Answer): Observation {
	const { status } = answer;
	const form = { 'documented error': 'json', html: 'html', text: 'text' } as const;
	const kind = kindOf(answer);
	const isKnown = status === 401 || status === 403;
	const seen = `HTTP ${status} with ${bodyWords(answer)}`;
	if (!isKnown) return { question: 'wrong key', seen, verdict: 'not supported' };
	if (!(kind in form)) return { question: 'wrong key', seen, verdict: 'tolerated' };
	return {
		question: 'wrong key',
		seen,
		verdict: 'supported',
		dialect: { invalidToken: `${status}-${form[kind as keyof typeof form]}` },
	};
}

function unknownPath(answer: Answer): Observation {
	const question = 'unknown path';
	const seen = `HTTP ${answer.status} with ${bodyWords(answer)}`;
	if (answer.status < 400) {
		const errorStatus = successForAnError(answer);
		return {
			question,
			seen,
			verdict: 'not supported',
			...(errorStatus && { dialect: { errorStatus } }),
		};
	}
	const forms: Partial<Record<BodyKind, 'documented' | 'html' | 'text'>> = {
		'documented error': 'documented',
		html: 'html',
		text: 'text',
	};
	const errorBody = forms[kindOf(answer)];
	return {
		question,
		seen,
		verdict: errorBody === undefined ? 'tolerated' : 'supported',
		...(errorBody && { dialect: { errorBody, errorStatus: 'error' } }),
	};
}

/** An error under a status of success, in a form that the sandbox knows. */
function successForAnError(answer: Answer): Dialect['errorStatus'] | undefined {
	if (kindOf(answer) === 'documented error') return '200-error-object';
	const { json } = answer;
	return isObject(json) && json.success === false ? '200-success-false' : undefined;
}

function wrongFilter(answer: Answer): Observation {
	const { status } = answer;
	const seen =
		status < 300 ? `ignored (HTTP ${status})` : `HTTP ${status} with ${bodyWords(answer)}`;
	return {
		question: 'exchanges: unknown status in the filter',
		seen,
		verdict: status < 500 ? 'supported' : 'tolerated',
	};
}
