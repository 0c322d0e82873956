import { checkSettings, type Dialect, resolveDialect } from './dialects.mts';
import { InvalidSetting } from './errors.mts';
import {
	type Plan,
	plans,
	type VerificationOutcome,
	verificationOutcomes,
	type Webhook,
} from './store/records.mts';
import { type Store, text } from './store/store.mts';
import { hmacKey } from './wire/signature.mts';

export interface Verification {
	outcome: VerificationOutcome;
	delayMilliseconds: number;
}

export interface SettingValues {
	plan: Plan;
	/** Whether only the endpoints that read are there, as before Q3 2026. */
	readOnly: boolean;
	dialect: Dialect;
	webhook: Webhook | undefined;
	/** How the verification of sites that are added from now on ends, and when. */
	verification: Verification;
}

/** What can be changed while the sandbox runs. It is kept in the store, so that a restart goes on as before. */
export class Settings {
	readonly #store: Store;
	readonly #values: SettingValues;

	constructor(store: Store) {
		this.#store = store;
		const kept = new Map(
			store
				.all('SELECT name, value FROM settings')
				.map((row) => [text(row, 'name'), text(row, 'value')]),
		);
		const read = <Value,>(name: string, fallback: Value): Value => {
			const value = kept.get(name);
			return value === undefined ? fallback : (JSON.parse(value) as Value);
		};
		this.#values = {
			plan: read<Plan>('plan', 'pro'),
			readOnly: read('readOnly', false),
			dialect: resolveDialect(read<Partial<Dialect>>('dialect', {})),
			webhook: read<Webhook | undefined>('webhook', undefined),
			verification: read<Verification>('verification', {
				outcome: 'verified',
				delayMilliseconds: 2000,
			}),
		};
	}

	get plan(): Plan {
		return this.#values.plan;
	}

	get readOnly(): boolean {
		return this.#values.readOnly;
	}

	get dialect(): Dialect {
		return this.#values.dialect;
	}

	get webhook(): Webhook | undefined {
		return this.#values.webhook;
	}

	get verification(): Verification {
		return this.#values.verification;
	}

	setPlan(plan: Plan): void {
		if (!plans.includes(plan)) {
			throw new InvalidSetting(`There is no plan "${plan as string}". Plans: ${plans.join(', ')}.`);
		}
		this.#keep('plan', plan);
	}

	setReadOnly(readOnly: boolean): void {
		this.#keep('readOnly', readOnly);
	}

	/** Sets a whole dialect by its name, or single settings of the present one by an object. */
	setDialect(dialect: string | Partial<Dialect>): void {
		const next =
			typeof dialect === 'string'
				? resolveDialect(dialect)
				: { ...this.dialect, ...checkSettings(dialect) };
		if (this.webhook) hmacKey(this.webhook.secret, next);
		this.#keep('dialect', next);
	}

	setWebhook(webhook: Webhook | undefined): void {
		if (webhook) {
			if (!/^https?:$/.test(URL.parse(webhook.url)?.protocol ?? '')) {
				throw new InvalidSetting(
					`The webhook URL has to be an http or https address, not ${JSON.stringify(webhook.url)}.`,
				);
			}
			if (webhook.secret === '') {
				throw new InvalidSetting(
					'The webhook needs a secret, because every delivery is signed with it.',
				);
			}
			hmacKey(webhook.secret, this.dialect);
		}
		this.#keep('webhook', webhook && { url: webhook.url, secret: webhook.secret });
	}

	setVerification(change: Partial<Verification>): void {
		const next = { ...this.verification, ...change };
		if (!verificationOutcomes.includes(next.outcome)) {
			throw new InvalidSetting(
				`There is no verification outcome "${next.outcome as string}". Outcomes: ${verificationOutcomes.join(', ')}.`,
			);
		}
		if (!Number.isFinite(next.delayMilliseconds) || next.delayMilliseconds < 0) {
			throw new InvalidSetting(
				'The delay of the verification is a number of milliseconds, 0 or more.',
			);
		}
		this.#keep('verification', next);
	}

	#keep<Name extends keyof SettingValues>(name: Name, value: SettingValues[Name]): void {
		if (value === undefined) this.#store.run('DELETE FROM settings WHERE name = ?', name);
		else {
			this.#store.run(
				'INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)',
				name,
				JSON.stringify(value),
			);
		}
		this.#values[name] = value;
	}
}
