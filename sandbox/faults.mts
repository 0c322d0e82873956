import { maxInteger } from './dialects.mts';
import { InvalidSettingError } from './errors.mts';

/** What can go wrong, in a sentence each. "Carried out" is the moment at which the service keeps what a request asks for. */
export const faultKinds = {
	'cut-before-commit': 'The request is not carried out, and the connection breaks.',
	'cut-after-commit': 'The request is carried out, and the connection breaks before the answer.',
	'delay-before-commit': 'The request waits before it is carried out.',
	'delay-after-commit': 'The request is carried out at once; the answer is late.',
	'error-before-commit': 'The answer is an error (503), and the request is not carried out.',
	'error-after-commit': 'The answer is an error (503), although the request is carried out.',
	'answer-before-commit': 'The request is not carried out; the answer is the one you give.',
	'answer-after-commit': 'The request is carried out; the answer is the one you give.',
	'malformed-json': 'The request is carried out; the answer is cut off in the middle.',
	'duplicate-delivery': 'The same delivery arrives a second time.',
	'late-delivery': 'The delivery arrives some time later.',
} as const;

export type FaultKind = keyof typeof faultKinds;

export interface Fault {
	kind: FaultKind;
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
	/** How long a delay lasts, or a delivery is held back; default 1,000. */
	milliseconds?: number;
	/** The status of an error or a given answer; default 503. */
	status?: number;
	/** The body of a given answer, sent as HTML if it begins with `<` and as JSON otherwise; default none. */
	body?: string;
}

export type ActiveFault = Fault &
	Required<Pick<Fault, 'times' | 'after' | 'milliseconds' | 'status' | 'body'>>;

/** The faults that are switched on, the oldest first. They are kept in memory alone, so that a restart ends all of them. */
export class Faults {
	#active: ActiveFault[] = [];

	/** @throws InvalidSetting for a kind, number or status that makes no sense */
	add(fault: Fault): ActiveFault {
		if (!Object.hasOwn(faultKinds, fault.kind)) {
			throw new InvalidSettingError(
				`There is no fault "${fault.kind}". Known faults: ${Object.keys(faultKinds).join(', ')}.`,
			);
		}
		const active = {
			...fault,
			times: wholeNumber('times', fault.times ?? 1, 1),
			after: wholeNumber('after', fault.after ?? 0, 0),
			milliseconds: wholeNumber('milliseconds', fault.milliseconds ?? 1000, 0),
			status: wholeNumber('status', fault.status ?? 503, 200, 599),
			body: fault.body ?? '',
		};
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
	takeForRequest(method: string, path: string): ActiveFault | undefined {
		return this.#take(
			(fault) =>
				!isOfDeliveries(fault) &&
				(fault.method === undefined || fault.method.toUpperCase() === method) &&
				path.startsWith(fault.path ?? ''),
		);
	}

	/** The first fault for this delivery, if any; it counts as used once more. */
	takeForDelivery(event: string): ActiveFault | undefined {
		return this.#take((fault) => isOfDeliveries(fault) && event === (fault.event ?? event));
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

function isOfDeliveries({ kind }: Fault): boolean {
	return kind.endsWith('-delivery');
}

function wholeNumber(name: string, value: number, min: number, max = maxInteger): number {
	if (Number.isInteger(value) && value >= min && value <= max) return value;
	throw new InvalidSettingError(`The ${name} of a fault: a whole number from ${min} to ${max}.`);
}
