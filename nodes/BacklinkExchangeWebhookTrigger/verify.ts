import type { IWebhookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import { credentialName } from '../shared/service/credential';
import type { TriggerSettings } from './settings';
import { type Key, keysOf, refusalReasons, verifySignature } from './signature';

/** A delivery that is not taken. */
export interface Refusal {
	/** HTTP status of the answer. */
	status: number;
	/** The answer to the sender, who may be anybody. */
	message: string;
	/** Why it is not taken, and how to put that right, for the log and the editor. */
	reason: string;
}

/** Why the delivery must not get in; undefined if it is signed with one of the secrets. */
export async function findRefusal(
	context: IWebhookFunctions,
	body: Buffer,
	header: string | undefined,
	settings: TriggerSettings,
): Promise<Refusal | undefined> {
	const keys = await findKeys(context);
	if (keys === undefined) {
		return {
			status: 503,
			message: 'The signature could not be verified now; send it again later',
			reason: 'n8n could not read the credential; open it and save it again',
		};
	}
	const verification = verifySignature({ body, header }, keys, settings);
	if (verification === 'valid') return undefined;
	return {
		status: 401,
		message: 'The signature could not be verified',
		reason: refusalReasons[verification],
	};
}

/**
 * Milliseconds for which the keys of a credential are kept. Reading it is the most expensive thing that a forged delivery
 * can make n8n do: two queries, a decryption and, by default, a new isolate for its expressions
 * (docs/decisions/0006-what-a-signature-may-look-like.md).
 */
const keysLifetime = 2000;
/** The most nodes for which keys are kept. */
const mostKeys = 1000;
const cachedKeys = new BoundedMap<string, { keys: Promise<Key[] | undefined>; until: number }>(
	mostKeys,
);

/** The keys of the credential; undefined when it cannot be read, so that nothing can be said of any signature. */
async function findKeys(context: IWebhookFunctions): Promise<Key[] | undefined> {
	const { id, credentials } = context.getNode();
	const cacheKey = JSON.stringify([context.getWorkflow().id, id, credentials]);
	const cached = cachedKeys.get(cacheKey);
	if (cached !== undefined && cached.until > performance.now()) return await cached.keys;
	const keys = context.getCredentials(credentialName).then(
		({ webhookSecret: secret, previousWebhookSecret: previous }) =>
			[secret, previous].flatMap(keysOf),
		// n8n cannot read the credential if its database is away, or the credential is gone or cannot be decrypted.
		() => undefined,
	);
	cachedKeys.set(cacheKey, { keys, until: performance.now() + keysLifetime });
	// A credential that could not be read, or has no secret yet, is read again for the next delivery.
	if (((await keys)?.length ?? 0) === 0) cachedKeys.delete(cacheKey);
	return await keys;
}
