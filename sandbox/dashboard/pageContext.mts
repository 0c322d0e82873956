import type { Receiver } from '../webhookReceiver.mts';

/** What a page shows besides the account. */
export interface PageContext {
	receiver: Receiver | undefined;
	/** Port of the mail server, if there is one. */
	mailPort: number | undefined;
	/** Base URL of the API. */
	baseUrl: string;
}
