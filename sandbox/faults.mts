import { largestNumber } from './dialects.mts';
import { InvalidSetting } from './errors.mts';
import { randomNumbers } from './wire/nonsense.mts';

/** What can go wrong with a request. "Commit" is the moment at which the service keeps what the request asks for. */
export const requestFaultKinds = [
	'cut-before-commit',
	'cut-after-commit',
	'delay-before-commit',
	'delay-after-commit',
	'error-before-commit',
	'error-after-commit',
	'not-json',
	'malformed-json',
	'wrong-content-type',
	'nonsense',
	'answer-before-commit',
	'answer-after-commit',
	'odd-entries',
	'clock-skew',
] as const;
/** What can go wrong with a delivery. */
export const deliveryFaultKinds = [
	'duplicate-delivery',
	'concurrent-delivery',
	'late-delivery',
	'reordered-delivery',
	'skewed-delivery',
	'forged-delivery',
] as const;
export type RequestFaultKind = (typeof requestFaultKinds)[number];
export type DeliveryFaultKind = (typeof deliveryFaultKinds)[number];
export const faultKinds: readonly string[] = [...requestFaultKinds, ...deliveryFaultKinds];

export interface Fault {
	kind: RequestFaultKind | DeliveryFaultKind;
	/** How many of the next matching requests or deliveries go wrong; default 1. */
	times?: number;
	/** How many matching requests or deliveries go well before the first that does not; default 0. */
	after?: number;
	/** The method of the requests that match; default any. */
	method?: string;
	/** How the path of the requests that match begins, such as /api/exchanges; default any. */
	path?: string;
	/** The event of the deliveries that match; default any. */
	event?: string;
	/** How long a delay lasts, or a delivery is held back; or by how much a clock is ahead, or if negative behind. */
	milliseconds?: number;
	/** The status of an error or a given answer; default 503. */
	status?: number;
	/** The seed of nonsense and odd entries, of which the same one gives the same answers; default 1. */
	seed?: number;
	/** The body of a given answer, any text, which is sent as JSON; default none. */
	body?: string;
}

const defaultMilliseconds: Partial<Record<Fault['kind'], number>> = {
	'clock-skew': 300_000,
	'skewed-delivery': -3_600_000,
};

export interface ActiveFault extends Fault {
	times: number;
	after: number;
	milliseconds: number;
	status: number;
	body: string;
	/** Gives numbers from 0 to 1, for nonsense and odd entries. */
	random: () => number;
}

/** The faults that are switched on, the oldest first. They are kept in memory alone, so that a restart ends all of them. */
export class Faults {
	#active: ActiveFault[] = [];

	/** @throws InvalidSetting for a kind, number or status that makes no sense */
	add(fault: Fault): ActiveFault {
		if (!faultKinds.includes(fault.kind)) {
			throw new InvalidSetting(
				`There is no fault "${fault.kind}". Known faults: ${faultKinds.join(', ')}.`,
			);
		}
		const active = {
			...fault,
			times: fault.times ?? 1,
			after: fault.after ?? 0,
			milliseconds: fault.milliseconds ?? defaultMilliseconds[fault.kind] ?? 1000,
			status: fault.status ?? 503,
			body: fault.body ?? '',
			random: randomNumbers(fault.seed ?? 1),
		};
		if (!Number.isInteger(active.times) || active.times < 1) {
			throw new InvalidSetting('The times of a fault are a whole number, 1 or more.');
		}
		if (!Number.isInteger(active.after) || active.after < 0) {
			throw new InvalidSetting('A fault comes after a whole number of matches, 0 or more.');
		}
		if (!Number.isInteger(active.status) || active.status < 200 || active.status > 599) {
			throw new InvalidSetting('The status of a fault is between 200 and 599.');
		}
		const isSkew = fault.kind === 'clock-skew' || fault.kind === 'skewed-delivery';
		const least = isSkew ? -largestNumber : 0;
		if (!(active.milliseconds >= least && active.milliseconds <= largestNumber)) {
			throw new InvalidSetting(
				`The milliseconds of a fault are a number up to ${largestNumber}, and not negative except for a clock skew.`,
			);
		}
		this.#active.push(active);
		return active;
	}

	clear(): void {
		this.#active = [];
	}

	list(): ActiveFault[] {
		return this.#active.map((fault) => ({ ...fault }));
	}

	/** The first fault for this request, if any; it counts as used once more. */
	takeForRequest(
		method: string,
		path: string,
	): (ActiveFault & { kind: RequestFaultKind }) | undefined {
		const fault = this.#take(
			(each) =>
				isOneOf(requestFaultKinds, each.kind) &&
				(each.method === undefined || each.method.toUpperCase() === method) &&
				(each.path === undefined || path.startsWith(each.path)),
		);
		return fault as (ActiveFault & { kind: RequestFaultKind }) | undefined;
	}

	takeForDelivery(event: string): (ActiveFault & { kind: DeliveryFaultKind }) | undefined {
		const fault = this.#take(
			(each) =>
				isOneOf(deliveryFaultKinds, each.kind) &&
				(each.event === undefined || each.event === event),
		);
		return fault as (ActiveFault & { kind: DeliveryFaultKind }) | undefined;
	}

	#take(matches: (fault: ActiveFault) => boolean): ActiveFault | undefined {
		const fault = this.#active.find(matches);
		if (!fault) return undefined;
		if (fault.after > 0) {
			fault.after -= 1;
			return undefined;
		}
		fault.times -= 1;
		if (fault.times === 0) this.#active = this.#active.filter((each) => each !== fault);
		return fault;
	}
}

function isOneOf(kinds: readonly string[], kind: string): boolean {
	return kinds.includes(kind);
}
