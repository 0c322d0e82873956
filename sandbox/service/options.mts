import type { Changes } from '../settings.mts';
import type { DeliveryOptions } from './deliveries.mts';
import type { LimitOptions } from './limits.mts';

/** Options of the service. Settings default to those in the store. */
export interface ServiceOptions extends Changes {
	/** Ensures that this key exists. By default, a new store gets a generated one. */
	apiKey?: string;
	/** Opening balance of a new store; default 100, or 250 with demo data. */
	credits?: number;
	/**
	 * Fills a new store with demo data that ends now.
	 *
	 * The same seed gives the same IDs. Without it, the account is empty.
	 */
	seed?: number | string;
	limits?: LimitOptions;
	/** Timeout and backoff of webhook deliveries. */
	delivery?: DeliveryOptions;
	/** Called for every line of the activity log. */
	onActivity?: (activity: Activity) => void;
}

/**
 * A line of the activity log, in plain English.
 *
 * It never contains a key or a secret.
 */
export interface Activity {
	time: string;
	text: string;
}
