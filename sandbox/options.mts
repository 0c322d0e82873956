import type { Activity } from './activity.mts';
import type { Dialect } from './dialects.mts';
import type { Receiver } from './receiver.mts';
import type { DeliveryOptions } from './service/deliveries.mts';
import type { LimitOptions } from './service/limits.mts';
import type { Verification } from './settings.mts';
import type { Plan, Webhook } from './store/records.mts';

/** What a sandbox is started with. */
export interface SandboxOptions {
	/** The port on 127.0.0.1; with 0, the default, any free one. */
	port?: number;
	/** The SQLite file; default `:memory:`. */
	data?: string;
	/** The plan; `none` is one without API access. Default what the store says, and `pro` in a new one. */
	plan?: Plan;
	/** The name of a dialect, or single settings on top of the plain one; default what the store says. */
	dialect?: string | Partial<Dialect>;
	/** Makes sure that this key exists; by default a new store gets one of its own. */
	apiKey?: string;
	webhook?: Webhook;
	/** The opening balance of a new store; default 100, or 250 with demo data. */
	credits?: number;
	/** Fills a new store with a lively account that ends now; the same seed gives the same IDs. Without it, the account is empty. */
	seed?: number | string;
	limits?: LimitOptions;
	/** How the verification of added sites ends, and after how long; default: verified after 2,000 ms. */
	verification?: Partial<Verification>;
	/** The time-out and backoff of webhook deliveries. */
	delivery?: DeliveryOptions;
	/** Whether only the endpoints that read are there, as before Q3 2026. */
	readOnly?: boolean;
	/** How long each answer of the API is held back; default 0. */
	latencyMilliseconds?: number;
	/** The program that takes the deliveries, when it was started together with the sandbox. */
	receiver?: Receiver;
	/** The clock, in milliseconds since 1970. */
	clock?: () => number;
	/** Called with one line for each thing that happens. */
	onActivity?: (activity: Activity) => void;
}
