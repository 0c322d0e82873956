/**
 * The Backlink Exchange Service on your machine: everything in service-api.md, over real HTTP, with
 * a real store and real deliveries.
 */
import { addApi } from './api/api.mts';
import { addControl } from './control/control.mts';
import { addDashboard } from './dashboard/dashboard.mts';
import { InvalidSettingError } from './errors.mts';
import { type MailServer, startMailServer } from './mail/mailServer.mts';
import { createHttpServer } from './server.mts';
import type { ServiceOptions } from './service/options.mts';
import { Service } from './service/service.mts';
import { Store } from './store/store.mts';
import type { Receiver } from './webhookReceiver.mts';

export interface SandboxOptions extends ServiceOptions {
	/** Port on 127.0.0.1; default 0: any free port. */
	port?: number;
	/** Port of the mail server on 127.0.0.1, or 0 for any free port; default: no mail server. */
	mailPort?: number;
	/** SQLite file; default `:memory:`. */
	data?: string;
	/** Delay of every API response; default 0. */
	latencyMilliseconds?: number;
	/** The program that receives deliveries, if it was started together with the sandbox. */
	receiver?: Receiver;
	/** Returns the time in milliseconds since 1970. */
	clock?: () => number;
}

export interface Sandbox extends Service {
	/** URL of the dashboard: http://127.0.0.1:PORT. */
	origin: string;
	/** Base URL for the n8n credential. */
	baseUrl: string;
	/** Port of the mail server, if there is one. */
	mailPort: number | undefined;
	/** API endpoints, such as `GET /api/sites`. */
	endpoints: readonly string[];
	close: () => Promise<void>;
}

/**
 * Starts a sandbox.
 *
 * @throws {InvalidSettingError} if an option or the store can't be used; the message explains how
 * to fix it
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, mailPort, data = ':memory:', receiver, latencyMilliseconds = 0 } = options;
	const store = new Store(data, options.clock);
	const closing = new AbortController();
	let mailServer: MailServer | undefined;
	try {
		const service = new Service(store, options);
		const app = createHttpServer(service);
		const endpoints = addApi(app, service, latencyMilliseconds, closing.signal);
		addControl(app, service, receiver);
		if (mailPort !== undefined) {
			mailServer = await startMailServer(mailPort, (mail) => {
				service.receiveMail(mail);
			});
		}
		addDashboard(app, service, { receiver, mailPort: mailServer?.port });
		const origin = await app.listen({ host: '127.0.0.1', port });
		service.deliveries.start();
		const end = async () => {
			closing.abort();
			await app.close();
			await mailServer?.close();
			await service.deliveries.stop();
			store.close();
		};
		let closed: Promise<void> | undefined;
		const close = () => (closed ??= end());
		return Object.assign(service, {
			origin,
			baseUrl: `${origin}/api`,
			mailPort: mailServer?.port,
			endpoints,
			close,
		});
	} catch (error) {
		await mailServer?.close();
		store.close();
		throw error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
			? new InvalidSettingError(
					`Another program uses port ${String('port' in error && error.port)}. Choose another port with --port.`,
				)
			: error;
	}
}
