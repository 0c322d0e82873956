/** What a soak has shown: what stayed in memory, and what failed. */
import type { Sandbox } from '../../sandbox/sandbox.mts';
import type { RealN8n } from '../../test/e2e/realN8n.mts';

/** As measureHook.cjs writes it. Bytes and seconds. */
export interface Sample {
	seconds: number;
	heapUsed: number;
	external: number;
	rss: number;
	cpuSeconds: number;
	descriptors: number;
	/** How late timers fired since the last sample, in milliseconds (99th percentile): it shows how busy the machine was. */
	loopDelay: number;
	/** How many of each kind of handle and request (process.getActiveResourcesInfo). */
	resources: Record<string, number>;
}

/** Executions of one workflow. */
export interface Outcome {
	workflow: string;
	succeeded: number;
	/** Failed while a request met a fault or was refused because of the limit. */
	failedByFault: number;
	failedOtherwise: number;
	/** Still running, or waiting. */
	unfinished: number;
}

/** A message with which executions failed. */
export interface Failure {
	workflow: string;
	message: string;
	expected: number;
	unexpected: number;
	/** Of the unexpected ones: how many seconds before their end the last request met a fault or the limit. */
	secondsSinceFault: number[];
}

/** A poll that failed is recorded afterwards; it may have begun a minute before. */
const leadMilliseconds: Record<string, number> = { poll: 60_000 };

/** Counts n8n's executions, with what each has met according to the sandbox's books. */
export function readOutcomes(
	n8n: RealN8n,
	sandbox: Sandbox,
): { outcomes: Outcome[]; failures: Failure[] } {
	const bad = sandbox.books
		.requests()
		.filter(({ fault, status }) => fault !== undefined || status === 429)
		.map(({ receivedAt }) => receivedAt);
	const outcomes = new Map<string, Outcome>();
	const failures = new Map<string, Failure>();
	const executions = n8n.query(
		`SELECT w.name AS workflow, e.status, e.startedAt, e.stoppedAt, CASE WHEN e.status IN ('error', 'crashed') THEN d.data END AS data
		 FROM execution_entity e JOIN workflow_entity w ON w.id = e.workflowId LEFT JOIN execution_data d ON d.executionId = e.id`,
	);
	for (const execution of executions) {
		const workflow = String(execution.workflow);
		const outcome = outcomes.get(workflow) ?? {
			workflow,
			succeeded: 0,
			failedByFault: 0,
			failedOtherwise: 0,
			unfinished: 0,
		};
		outcomes.set(workflow, outcome);
		if (execution.status === 'success') outcome.succeeded++;
		else if (execution.stoppedAt === null) outcome.unfinished++;
		else {
			// A poll that failed has no start.
			const from =
				time(execution.startedAt ?? execution.stoppedAt) - (leadMilliseconds[workflow] ?? 1000);
			const until = time(execution.stoppedAt);
			const expected = bad.some((at) => at >= from && at <= until);
			outcome[expected ? 'failedByFault' : 'failedOtherwise']++;
			const message = messageOf(execution.data).replace(/\d+/g, '…');
			const failure = failures.get(`${workflow} ${message}`) ?? {
				workflow,
				message,
				expected: 0,
				unexpected: 0,
				secondsSinceFault: [],
			};
			failure[expected ? 'expected' : 'unexpected']++;
			if (!expected) {
				const last = Math.max(...bad.filter((at) => at <= until));
				failure.secondsSinceFault.push(Math.round((until - last) / 1000));
			}
			failures.set(`${workflow} ${message}`, failure);
		}
	}
	return { outcomes: [...outcomes.values()], failures: [...failures.values()] };
}

/** The median of a figure in the first and in the last third of the samples, leaving out the first minutes, in which n8n still loads code. */
export function thirds(
	samples: Sample[],
	figure: (sample: Sample) => number,
	warmUpSeconds: number,
): { first: number; last: number } {
	const values = samples.filter(({ seconds }) => seconds >= warmUpSeconds).map(figure);
	const third = Math.ceil(values.length / 3);
	return { first: median(values.slice(0, third)), last: median(values.slice(-third)) };
}

/** The slope of the line that fits best (least squares), per hour. */
export function perHour(
	samples: Sample[],
	figure: (sample: Sample) => number,
	warmUpSeconds: number,
): number {
	const used = samples.filter(({ seconds }) => seconds >= warmUpSeconds);
	const meanTime = mean(used.map(({ seconds }) => seconds));
	const meanValue = mean(used.map(figure));
	let above = 0;
	let below = 0;
	for (const sample of used) {
		above += (sample.seconds - meanTime) * (figure(sample) - meanValue);
		below += (sample.seconds - meanTime) ** 2;
	}
	return (above / below) * 3600;
}

function median(values: number[]): number {
	return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}

function mean(values: number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** n8n's database has UTC, without saying so. */
function time(text: unknown): number {
	return Date.parse(`${String(text).replace(' ', 'T').replace(/Z$/, '')}Z`);
}

/** n8n keeps an execution as a flat array, in which texts and objects are referred to by their place. */
function messageOf(data: unknown): string {
	if (typeof data !== 'string') return 'no data';
	const flat = JSON.parse(data) as unknown[];
	const at = (place: unknown): Record<string, unknown> =>
		(flat[Number(place)] ?? {}) as Record<string, unknown>;
	const error = at(at(at(0).resultData).error);
	const message = flat[Number(error.message)];
	return typeof message === 'string' ? message : 'no message';
}
