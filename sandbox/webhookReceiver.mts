/** A trigger that can receive deliveries. */
export interface TriggerAddress {
	/** Name of the workflow that contains the trigger. */
	workflow: string;
	/** Name of the trigger node. */
	trigger: string;
	/** Whether n8n listens on the production URL. */
	isPublished: boolean;
	productionUrl: string;
	/** n8n listens here only while the editor waits for a test event. */
	testUrl: string;
}

/**
 * The program that receives deliveries, if it was started together with the sandbox: the n8n of
 * `npm start`.
 */
export interface Receiver {
	triggers(): TriggerAddress[];
	/** Called when the secret changes. */
	setSecret(secret: string): Promise<void>;
}
