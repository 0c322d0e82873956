/**
 * What is not promised (docs/decisions/0003-accept-is-paid-once.md): a service may carry out what it refuses in clear words,
 * or say that it has carried out what it has not. Where its list does not show that, nobody can tell it from one that says
 * the truth: a refusal in the documented error object is believed, and the offer may be asked for again.
 */
import type { Fault } from '../../sandbox/faults.mts';
import { saysAccepted } from './evidence.mts';
import type { History } from './history.mts';

/** The statuses of a refusal after which the node reads the list. */
const lookedUp = [400, 404, 409, 410, 422];
/** Those of 4xx that are no refusal. */
const unclear = [408, 425];

/** Whether the service may take back a refusal without a trace: then a second request may be paid again. */
export function hidesWhatItRefused(history: History): boolean {
	return untrueRefusals(history).length > 0 && !showsAccepted(history);
}

/** Whether the list shows at once what was accepted, and no answer tells of it before. */
export function showsAccepted(history: History): boolean {
	const { settlement = 'at-once', exchangeList = 'all' } = history.dialect;
	const { pagination = 'none', pageSize = 50 } = history.dialect;
	return (
		settlement === 'at-once' &&
		['all', 'pending-unless-filtered'].includes(exchangeList) &&
		(pageSize > 2 || ['none', 'link'].includes(pagination)) &&
		!hasFault(history, 'nonsense', 'odd-entries') &&
		!faultsOf(history).some(saysItIsAccepted)
	);
}

/** Whether a refusal is believed that is none: then it does not count for the bounds. */
export function isBelievedWrongly(history: History): boolean {
	const isClear = ({ status, isOwn }: Refusal) => isOwn && !lookedUp.includes(status);
	return hidesWhatItRefused(history) || untrueRefusals(history).some(isClear);
}

/** Whether the service says of this offer, in an answer to its accept, that it is accepted, whatever has become of that. */
export function mayLieAbout(offer: string, history: History): boolean {
	return faultsOf(history).some((fault) => offerOf(fault) === offer && saysItIsAccepted(fault));
}

/** Whether an accept may take effect more than a minute after its request has ended. */
export function takesLonger(history: History): boolean {
	const { settlement, settlementSeconds = 5 } = history.dialect;
	const delays = faultsOf(history).map(({ kind, milliseconds = 1000 }) =>
		kind === 'delay-before-commit' ? milliseconds : 0,
	);
	const settles = settlement === 'later' ? settlementSeconds * 1000 : 0;
	return Math.max(0, ...delays) + settles + history.latencyMilliseconds > 58_000;
}

/** Whether an answer may show a balance that was never there. */
export function misstatesBalance(history: History): boolean {
	return faultsOf(history).some(
		({ kind, method, path }) =>
			kind === 'nonsense' && method !== 'POST' && path !== '/api/exchanges',
	);
}

/** Whether an answer with this status is believed to be a refusal without reading the list, at least in the documented words. */
export function isClearRefusal(status?: number): boolean {
	return isRefusal(status) && !lookedUp.includes(status ?? 0);
}

export function isRefusal(status = 0): boolean {
	return status >= 400 && status < 500 && !unclear.includes(status);
}

/** Whether an n8n process may have died. */
export function hasKill({ steps }: History): boolean {
	return steps.some((step) => step.kind === 'run' && step.kill !== undefined);
}

export function hasFault(history: History, ...kinds: Array<Fault['kind']>): boolean {
	return faultsOf(history).some(({ kind }) => kinds.includes(kind));
}

export function faultsOf({ steps }: History): Fault[] {
	return steps.flatMap((step) => (step.kind === 'run' ? step.faults : []));
}

/** The offer whose accept a fault is about. */
function offerOf({ path = '' }: Fault): string | undefined {
	return /^\/api\/exchanges\/(\w+)\/accept$/.exec(path)?.[1];
}

function saysItIsAccepted(fault: Fault): boolean {
	const offer = offerOf(fault);
	return fault.kind.startsWith('answer-') && offer !== undefined && saysAccepted(fault, offer);
}

interface Refusal {
	status: number;
	/** Only the service itself says it so. */
	isOwn: boolean;
}

/** How the service refuses what it has carried out. */
function untrueRefusals(history: History): Refusal[] {
	const { errorStatus = 'error', errorBody = 'documented' } = history.dialect;
	return faultsOf(history).flatMap(({ kind, status = 503, body = '' }): Refusal[] => {
		if (!isRefusal(status)) return [];
		if (kind === 'answer-after-commit') {
			const isOwn = /"error":\{[^}]*"code":"/.test(body) || status === 407;
			// There, the code counts more than the status.
			return [{ status: body.includes('insufficient_credits') ? 402 : status, isOwn }];
		}
		const isRefused = kind === 'error-after-commit' && errorStatus === 'error';
		return isRefused ? [{ status, isOwn: errorBody === 'documented' }] : [];
	});
}
