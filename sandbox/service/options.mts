import type { Changes } from '../settings.mts';
import type { DeliveryOptions } from './deliveries.mts';
import type { LimitOptions } from './limits.mts';

/** What the service is started with; the settings are by default what the store says. */
export interface ServiceOptions extends Changes {
	/** Makes sure that this key exists; by default a new store gets one of its own. */
	apiKey?: string;
	/** The opening balance of a new store; default 100, or 250 with demo data. */
	credits?: number;
	/** Fills a new store with a lively account that ends now; the same seed gives the same IDs. Without it, the account is empty. */
	seed?: number | string;
	limits?: LimitOptions;
	/** The time-out and backoff of webhook deliveries. */
	delivery?: DeliveryOptions;
	/** What the log adds to an event: who will notice it. */
	notice?: string;
	/** Called with one line for each thing that happens. */
	onActivity?: (activity: Activity) => void;
}

/** A line in plain English about something that happened; it never holds a key or a secret. */
export interface Activity {
	time: string;
	text: string;
}
