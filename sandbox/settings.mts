import { type Dialect, resolveDialect } from './dialects.mts';
import { InvalidSettingError } from './errors.mts';
import { hmacKey } from './serialization/signature.mts';
import { type Plan, plans } from './store/records.mts';
import type { Store } from './store/store.mts';

export interface Webhook {
	url: string;
	secret: string;
}

const outcomes = ['verified', 'rejected'] as const;

export interface Verification {
	outcome: (typeof outcomes)[number];
	delayMilliseconds: number;
}

/** What is to be another way; what is undefined stays as it is. */
export interface Changes {
	plan?: Plan;
	/** Whether only the endpoints that read are there, as before Q3 2026. */
	readOnly?: boolean;
	/** A whole dialect as a text, such as `pagination=link`, or single settings of the present one. */
	dialect?: string | Partial<Dialect>;
	/** Where events go; null: nowhere. */
	webhook?: Webhook | null;
	/** How the verification of sites that are added from now on ends, and when. */
	verification?: Partial<Verification>;
}

/** What can be changed while the sandbox runs. It is kept in the store, so that a restart goes on as before. */
export class Settings {
	readonly plan: Plan = 'pro';
	readonly readOnly: boolean = false;
	readonly dialect: Dialect = resolveDialect('plain');
	readonly webhook: Webhook | null = null;
	readonly verification: Verification = { outcome: 'verified', delayMilliseconds: 2000 };
	readonly #store: Store;

	constructor(store: Store) {
		this.#store = store;
		for (const { name, value } of store.rows<{ name: string; value: string }>('settings')) {
			Object.assign(this, { [name]: JSON.parse(value) as unknown });
		}
	}

	/** @throws InvalidSetting when one of them cannot be used, or they do not go together; then none is changed */
	change({ plan, readOnly, dialect, webhook, verification }: Changes): void {
		const next = {
			plan: plan ?? this.plan,
			readOnly: readOnly ?? this.readOnly,
			dialect: resolveDialect(dialect ?? {}, this.dialect),
			webhook: webhook === undefined ? this.webhook : webhook,
			verification: { ...this.verification, ...verification },
		};
		check(next);
		for (const [name, value] of Object.entries(next)) {
			this.#store.put('settings', { name, value: JSON.stringify(value) });
		}
		Object.assign(this, next);
	}
}

function check({
	plan,
	dialect,
	webhook,
	verification: { outcome, delayMilliseconds },
}: Pick<Settings, 'plan' | 'dialect' | 'webhook' | 'verification'>): void {
	if (!plans.includes(plan)) {
		throw new InvalidSettingError(
			`There is no plan "${plan as string}". Plans: ${plans.join(', ')}.`,
		);
	}
	if (webhook && !/^https?:$/.test(URL.parse(webhook.url)?.protocol ?? '')) {
		throw new InvalidSettingError(
			`The webhook URL has to be an http or https address, not ${JSON.stringify(webhook.url)}.`,
		);
	}
	if (webhook?.secret === '') {
		throw new InvalidSettingError(
			'The webhook needs a secret, because every delivery is signed with it.',
		);
	}
	if (webhook) hmacKey(webhook.secret, dialect);
	if (!outcomes.includes(outcome) || !(delayMilliseconds >= 0)) {
		throw new InvalidSettingError(
			`A verification is ${outcomes.join(' or ')} after 0 milliseconds or more.`,
		);
	}
}
