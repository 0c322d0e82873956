import type { Receiver } from '../webhookReceiver.mts';

/** The content of a page besides the account. */
export interface PageContext {
	receiver: Receiver | undefined;
	/** Port of the mail server, if there is one. */
	mailPort: number | undefined;
	/** Base URL of the API. */
	baseUrl: string;
}
