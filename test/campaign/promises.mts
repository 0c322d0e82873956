/**
 * What is not promised (docs/decisions/0003-accept-is-paid-once.md): a service may carry out what it refuses in clear words. Where its
 * list does not show that, nobody can tell it from one that has refused.
 */
import type { History } from './history.mts';

/** The statuses of a refusal after which the node looks at the list. */
const lookedUp = [400, 404, 409, 410, 422];

/** Whether the service may take back a refusal without a trace: then a second request may be paid again. */
export function hidesWhatItRefused(history: History): boolean {
	return refusals(history).length > 0 && !showsAccepted(history);
}

/** Whether a refusal is believed that is none: then it does not count for the bounds. */
export function isBelievedWrongly(history: History): boolean {
	const { errorBody = 'documented' } = history.dialect;
	const isClear = (status: number) => errorBody === 'documented' && !lookedUp.includes(status);
	return hidesWhatItRefused(history) || refusals(history).some(isClear);
}

function faultsOf({ steps }: History) {
	return steps.flatMap((step) => (step.kind === 'run' ? step.faults : []));
}

/** The statuses by which the service refuses what it has carried out. */
function refusals(history: History): number[] {
	const { errorStatus = 'error' } = history.dialect;
	if (errorStatus !== 'error') return [];
	return faultsOf(history)
		.filter(({ kind }) => kind === 'error-after-commit')
		.map(({ status = 503 }) => status)
		.filter((status) => status < 500 && status !== 408);
}

/** Whether the list shows what was accepted as soon as it was. */
function showsAccepted(history: History): boolean {
	const { exchangeList, settlement, pagination, pageSize = 50 } = history.dialect;
	const isWhole = pageSize > 2 || [undefined, 'none', 'link'].includes(pagination);
	return (
		[undefined, 'all', 'pending-unless-filtered'].includes(exchangeList) &&
		[undefined, 'at-once'].includes(settlement) &&
		isWhole &&
		faultsOf(history).every(({ kind }) => kind !== 'nonsense')
	);
}
