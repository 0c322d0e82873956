import { maxInteger } from './dialects.mts';
import { InvalidSettingError } from './errors.mts';

/**
 * Simulated failures, each with a description.
 *
 * "Does its work" means that the store has committed what the request asks for.
 */
export const faultKinds = {
	'cut-before-commit': 'The service does nothing, and the connection ends without a response.',
	'cut-after-commit': 'The service does its work, but the connection ends without a response.',
	'delay-before-commit': 'The service waits, then does its work and responds.',
	'delay-after-commit': 'The service does its work immediately, but responds late.',
	'error-before-commit': 'The service does nothing and responds with an error (503).',
	'error-after-commit': 'The service does its work, but responds with an error (503).',
	'answer-before-commit': 'The service does nothing and sends the response that you set.',
	'answer-after-commit': 'The service does its work, but sends the response that you set.',
	'malformed-json': 'The service does its work, but only half of the response arrives.',
	'duplicate-delivery': 'The same delivery is sent twice.',
	'late-delivery': 'The delivery is sent late.',
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
				`The simulated failure "${fault.kind}" doesn't exist. Choose one of these: ${Object.keys(faultKinds).join(', ')}.`,
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
	throw new InvalidSettingError(
		`The field "${name}" must be a whole number from ${min} to ${max}.`,
	);
}
