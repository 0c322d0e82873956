import { maxInteger } from './dialects.mts';
import { InvalidSettingError } from './errors.mts';

/**
 * Simulated failures, each with a description.
 *
 * "Carried out" means that the store has committed what the request asks for.
 */
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
	/** Number of matching requests or deliveries that fail; default 1. */
	times?: number;
	/** Number of matching requests or deliveries that succeed before the first failure; default 0. */
	after?: number;
	/** Default: any. */
	method?: string;
	/** Prefix of the path, such as /api/exchanges; default: any. */
	path?: string;
	/** Default: any. */
	event?: string;
	/** Duration of a delay; default 1,000. */
	milliseconds?: number;
	/** Status of an error or a custom response; default 503. */
	status?: number;
	/**
	 * Body of a custom response; default: none. Sent as HTML if it begins with `<`, otherwise as
	 * JSON.
	 */
	body?: string;
}

export type ActiveFault = Fault &
	Required<Pick<Fault, 'times' | 'after' | 'milliseconds' | 'status' | 'body'>>;

/**
 * Active faults, oldest first.
 *
 * They are kept only in memory, so a restart ends all of them.
 */
export class Faults {
	#active: ActiveFault[] = [];

	/** @throws {InvalidSettingError} for an unknown kind, or a number or status out of range */
	add(fault: Fault): ActiveFault {
		if (!Object.hasOwn(faultKinds, fault.kind)) {
			throw new InvalidSettingError(
				`There is no fault "${fault.kind}". Known faults: ${Object.keys(faultKinds).join(', ')}.`,
			);
		}
		const active = {
			...fault,
			times: assertInteger('times', fault.times ?? 1, 1),
			after: assertInteger('after', fault.after ?? 0, 0),
			milliseconds: assertInteger('milliseconds', fault.milliseconds ?? 1000, 0),
			status: assertInteger('status', fault.status ?? 503, 200, 599),
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

	/** Returns the first fault that matches a request, and counts it as used. */
	takeForRequest(method: string, path: string): ActiveFault | undefined {
		return this.#take(
			(fault) =>
				!isDeliveryFault(fault) &&
				(fault.method === undefined || fault.method.toUpperCase() === method) &&
				path.startsWith(fault.path ?? ''),
		);
	}

	/** Returns the first fault that matches a delivery, and counts it as used. */
	takeForDelivery(event: string): ActiveFault | undefined {
		return this.#take((fault) => isDeliveryFault(fault) && event === (fault.event ?? event));
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

function isDeliveryFault({ kind }: Fault): boolean {
	return kind.endsWith('-delivery');
}

function assertInteger(name: string, value: number, min: number, max = maxInteger): number {
	if (Number.isInteger(value) && value >= min && value <= max) return value;
	throw new InvalidSettingError(`The ${name} of a fault: a whole number from ${min} to ${max}.`);
}
