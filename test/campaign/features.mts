/** What occurred in a history: what was drawn, and which of the rules came into play. */
import type { Executed, Happened } from './happened.mts';
import { type Execution, optionNames } from './history.mts';
import { offerId } from './input.mts';
import { faultsOf } from './promises.mts';
import { reportsOf } from './reports.mts';

/** Whether a feature occurred. */
const ofHistory: Record<string, (happened: Happened) => boolean> = {
	'a service that is not the plain one': ({ history }) => Object.keys(history.dialect).length > 0,
	'a limit that is reached': ({ history }) => history.perMinute !== undefined,
	'a process that dies': ({ history }) =>
		history.steps.some((step) => step.kind === 'run' && step.kill !== undefined),
	'a process that dies between two steps': ({ history }) =>
		history.steps.some((step) => step.kind === 'run' && typeof step.kill?.after === 'object'),
	'two processes with one store': ({ history }) => history.workers > 1,
	'two accounts': ({ ledgers }) => ledgers.length > 1,
	'a balance that lags': ({ history }) => (history.dialect.balanceLagSeconds ?? 0) > 0,
	'prices that differ': ({ history }) => new Set(history.costs).size > 1,
	'an offer that costs nothing': ({ history }) => history.costs.includes(0),
	'an answer from the grammar': ({ history }) =>
		faultsOf(history).some(({ kind }) => kind.startsWith('answer-')),
	'a list with odd entries': ({ history }) =>
		faultsOf(history).some(({ kind }) => kind === 'odd-entries'),
	'a fresh process in between': ({ history }) =>
		history.steps.some(({ kind }) => kind === 'restart'),
	'a day in between': ({ history }) =>
		history.steps.some((step) => step.kind === 'wait' && step.milliseconds > 24 * 3_600_000),
	faults: ({ history }) =>
		history.steps.some((step) => step.kind === 'run' && step.faults.length > 0),
	'somebody else at the same account': ({ history }) =>
		history.steps.some((step) => step.kind === 'run' && step.meanwhile.length > 0),
	'several executions at once': ({ history }) =>
		history.steps.some((step) => step.kind === 'run' && step.executions.length > 1),
	'a second request for an offer in one process': ({ executed, events }) => {
		const asked = events.flatMap((event) =>
			event.kind === 'request' && event.isAccept
				? [`${event.id} ${executed[event.execution]?.process}`]
				: [],
		);
		return new Set(asked).size < asked.length;
	},
	'an offer that is paid twice, by different processes': ({ events }) => {
		const paid = events.flatMap((event) => (event.kind === 'paid' ? [event.id] : []));
		return new Set(paid).size < paid.length;
	},
	'an accept that is paid after its execution has ended': ({ executed, events }) =>
		events.some(
			({ kind, at, execution }) =>
				kind === 'paid' && execution !== undefined && at > (executed[execution]?.end?.at ?? at),
		),
};

const ofSpec: Record<string, (spec: Execution) => boolean> = {
	'Accept Many': ({ rules }) => rules !== undefined,
	'Accept Many with Max per Day': ({ rules }) => rules?.options.maxPerDay !== undefined,
	'Accept Many of a published workflow': ({ rules }) => rules?.isPublished === true,
	'several items': ({ items }) => items.length > 1,
	'the same offer twice in one execution': ({ items }) => new Set(items).size < items.length,
	'an offer that does not exist': ({ items }) => items.some((item) => offerId(item) === 'x4'),
	'Retry On Fail': ({ tries }) => tries > 1,
	'a loop': ({ rounds }) => rounds > 1,
	'continue on fail': ({ continues }) => continues,
	cancelling: ({ canceledAfter }) => canceledAfter !== undefined,
	'an option as a text, null, a list or an object': ({ options }) =>
		Object.values(options).some(({ value }) => !/^(number|boolean|undefined)$/.test(typeof value)),
	'an option from an expression of one item': ({ options }) =>
		Object.values(options).some(
			({ through, onlyItem }) => through === 'expression' && onlyItem !== undefined,
		),
	...Object.fromEntries(
		optionNames.map((name) => [
			`the option ${name}`,
			({ options }: Execution) => options[name] !== undefined,
		]),
	),
};

const outcomes: Record<string, RegExp> = {
	'accepted, by the response': /"outcome":"accepted","confirmedBy":"response"/,
	'accepted, read back': /"outcome":"accepted","confirmedBy":"readBack"/,
	'alreadyAccepted, by the check': /"outcome":"alreadyAccepted","confirmedBy":"check"/,
	'alreadyAccepted, from memory': /"outcome":"alreadyAccepted","confirmedBy":"memory"/,
	'alreadyAccepted after a refusal, by whom is left open': /"confirmedBy":"readBack","reason"/,
	wouldAccept: /"outcome":"wouldAccept"/,
	'refused by a rule': /"outcome":"refused"/,
	'left to a person': /"outcome":"undecided"/,
	'failed, of Accept Many': /"outcome":"failed"/,
	'unknown, of Accept Many': /"outcome":"unknown"/,
	'skipped for Max per Day': /"skipped","reason":"Max per Day/,
	'skipped for Max Accepts': /"skipped","reason":"Max Accepts/,
	'skipped for Minimum Balance': /"skipped","reason":"The balance of \d+ credits (is not|could)/,
	'skipped for a price that has not shown': /"skipped","reason":"The balance does not show/,
	'skipped for an outcome in doubt':
		/"skipped","reason":"[^"]*(cost of earlier accepts|outcome of)/,
	'a state that cannot be read': /The state of the offer .* cannot be read/,
	'what it cost': /"creditsSpent":\d/,
	'unknown outcome': /It is not known whether the offer/,
	'still pending': /still shows the offer/,
	'not sent again because of a bound': /It was not sent again: /,
	'refused, and not to be looked up': /could not be checked afterwards/,
	'a value that cannot be read': /cannot be read: received|is out of range: received|is empty/,
	'too few credits': /There are not enough credits/,
	'the limit is reached': /The request limit of the service is reached/,
	'could not be reached': /The service could not be reached/,
	'broken link': /its link is broken/,
};

export const featureNames: readonly string[] = [
	...Object.keys(ofHistory),
	...Object.keys(ofSpec),
	...Object.keys(outcomes),
	'canceled',
];

/** The features that occurred in a history. */
export function featuresOf(happened: Happened): string[] {
	const { executed } = happened;
	const reports = executed.map(textOf);
	const found = [
		...occurring(ofHistory, (occurs) => occurs(happened)),
		...occurring(ofSpec, (occurs) => executed.some(({ spec }) => occurs(spec))),
		...occurring(outcomes, (words) => reports.some((text) => words.test(text))),
	];
	if (executed.some(({ end }) => end?.status === 'canceled')) found.push('canceled');
	return found;
}

function occurring<Test>(tests: Record<string, Test>, occurs: (test: Test) => boolean): string[] {
	return Object.entries(tests).flatMap(([name, test]) => (occurs(test) ? [name] : []));
}

function textOf(executed: Executed): string {
	return reportsOf(executed)
		.map(({ json, error }) => `${JSON.stringify({ ...json, message: undefined })} ${error ?? ''}`)
		.join('\n');
}
