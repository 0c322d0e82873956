import { type Dialect, resolveDialect } from './dialects.mts';
import { InvalidSettingError } from './errors.mts';
import { hmacKey } from './serialization/signature.mts';
import { type Plan, plans } from './store/records.mts';
import type { Store } from './store/store.mts';

export interface Webhook {
	url: string;
	secret: string;
}

const verificationOutcomes = ['verified', 'rejected'] as const;

export interface Verification {
	outcome: (typeof verificationOutcomes)[number];
	delayMilliseconds: number;
}

/** Settings to change; `undefined` leaves a setting unchanged. */
export interface Changes {
	plan?: Plan;
	/** Whether only the read-only endpoints are available, as before Q3 2026. */
	readOnly?: boolean;
	/** A complete dialect as text, such as `pagination=link`, or an object of settings to change. */
	dialect?: string | Partial<Dialect>;
	/** Where events are sent; `null`: nowhere. */
	webhook?: Webhook | null;
	/** Outcome and delay of the verification of sites that are added from now on. */
	verification?: Partial<Verification>;
}

/**
 * Settings that can change while the sandbox runs.
 *
 * They are stored, so they survive a restart.
 */
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

	/**
	 * Changes settings: all or none.
	 *
	 * @throws {InvalidSettingError} for an invalid value, or values that don't go together
	 */
	change({ plan, readOnly, dialect, webhook, verification }: Changes): void {
		const next = {
			plan: plan ?? this.plan,
			readOnly: readOnly ?? this.readOnly,
			dialect: resolveDialect(dialect ?? {}, this.dialect),
			webhook: webhook === undefined ? this.webhook : webhook,
			verification: { ...this.verification, ...verification },
		};
		assertValid(next);
		for (const [name, value] of Object.entries(next)) {
			this.#store.put('settings', { name, value: JSON.stringify(value) });
		}
		Object.assign(this, next);
	}
}

function assertValid({
	plan,
	dialect,
	webhook,
	verification: { outcome, delayMilliseconds },
}: Pick<Settings, 'plan' | 'dialect' | 'webhook' | 'verification'>): void {
	if (!plans.includes(plan)) {
		throw new InvalidSettingError(
			`The plan "${plan as string}" doesn't exist. Choose one of these: ${plans.join(', ')}.`,
		);
	}
	if (webhook && !/^https?:$/.test(URL.parse(webhook.url)?.protocol ?? '')) {
		throw new InvalidSettingError(
			`The webhook URL must start with http:// or https://, but it is ${JSON.stringify(webhook.url)}.`,
		);
	}
	if (webhook?.secret === '') {
		throw new InvalidSettingError(
			'The webhook needs a secret, because each delivery is signed with it.',
		);
	}
	if (webhook) hmacKey(webhook.secret, dialect);
	if (!verificationOutcomes.includes(outcome) || !(delayMilliseconds >= 0)) {
		throw new InvalidSettingError(
			`The outcome of a verification must be ${verificationOutcomes.join(' or ')}, and its delay 0 milliseconds or more.`,
		);
	}
}
