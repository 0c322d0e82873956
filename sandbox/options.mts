import type { Activity } from './activity.mts';
import type { Dialect } from './dialects.mts';
import type { Receiver } from './receiver.mts';
import type { DeliveryOptions } from './service/deliveries.mts';
import type { LimitOptions } from './service/limits.mts';
import type { Verification } from './settings.mts';
import type { Plan, Webhook } from './store/records.mts';

/** What a sandbox is started with. */
export interface SandboxOptions {
	/** Default 0: any free port. The address is always 127.0.0.1. */
	port?: number;
	/** SQLite file; default `:memory:`. */
	data?: string;
	/** Default: what the store says, `pro` in a new one. `none` is a plan without API access. */
	plan?: Plan;
	/** Name of a dialect, or single settings on top of the plain one. Default: what the store says. */
	dialect?: string | Partial<Dialect>;
	/** Makes sure that this key exists; by default a new store gets one of its own. */
	apiKey?: string;
	webhook?: Webhook;
	/** Opening balance of a new store; default 100, or 250 with demo data. */
	credits?: number;
	/** Fills a new store with demo data; the same seed gives the same data. */
	seed?: number | string;
	limits?: LimitOptions;
	/** How the verification of added sites ends, and after how long; default: verified after 2,000 ms. */
	verification?: Partial<Verification>;
	/** Time-out and backoff of webhook deliveries. */
	delivery?: DeliveryOptions;
	/** Only the read-only endpoints, as before Q3 2026. */
	readOnly?: boolean;
	/** Added to each answer of the API. */
	latencyMilliseconds?: number;
	/** The program that takes the deliveries, when it was started together with the sandbox. */
	receiver?: Receiver;
	/** Milliseconds since 1970. */
	clock?: () => number;
	/** One line for each thing that happens. */
	onActivity?: (activity: Activity) => void;
}
