/** A trigger that deliveries can go to. */
export interface TriggerAddress {
	/** Name of the workflow that the trigger begins. */
	workflow: string;
	/** Name of the trigger in the workflow. */
	trigger: string;
	/** Whether the production URL is listened to. */
	isPublished: boolean;
	productionUrl: string;
	/** The test URL, which is listened to only while somebody waits for a test event in the editor. */
	testUrl: string;
}

/** What the sandbox knows about the program that takes its deliveries, when both were started together: the playground's n8n. */
export interface Receiver {
	triggers(): TriggerAddress[];
	/** Called when deliveries are signed with another secret from now on. */
	setSecret(secret: string): Promise<void>;
}
