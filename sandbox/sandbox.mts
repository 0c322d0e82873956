/** The Backlink Exchange Service on your desk: everything in service-api.md, over real HTTP, with a real store and real deliveries. */
import { addApi } from './api/api.mts';
import { addControl } from './control/control.mts';
import { addDashboard } from './dashboard/dashboard.mts';
import { InvalidSettingError } from './errors.mts';
import { newServer } from './server.mts';
import type { ServiceOptions } from './service/options.mts';
import { Service } from './service/service.mts';
import { Store } from './store/store.mts';
import type { Receiver } from './webhookReceiver.mts';

/** What a sandbox is started with. */
export interface SandboxOptions extends ServiceOptions {
	/** The port on 127.0.0.1; with 0, the default, any free one. */
	port?: number;
	/** The SQLite file; default `:memory:`. */
	data?: string;
	/** How long each answer of the API is held back; default 0. */
	latencyMilliseconds?: number;
	/** The program that takes the deliveries, when it was started together with the sandbox. */
	receiver?: Receiver;
	/** The clock, in milliseconds since 1970. */
	clock?: () => number;
}

export interface Sandbox extends Service {
	/** http://127.0.0.1:PORT, the dashboard's address. */
	origin: string;
	/** What goes into the n8n credential. */
	baseUrl: string;
	/** What the API offers, such as `GET /api/sites`. */
	endpoints: readonly string[];
	close: () => Promise<void>;
}

/** @throws InvalidSetting when an option or the store cannot be used; the message says how to fix it */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, data = ':memory:', receiver, latencyMilliseconds = 0 } = options;
	const store = new Store(data, options.clock);
	const closing = new AbortController();
	try {
		const service = new Service(store, options);
		const app = newServer(service);
		const endpoints = addApi(app, service, latencyMilliseconds, closing.signal);
		addControl(app, service, receiver);
		addDashboard(app, service, receiver);
		const origin = await app.listen({ host: '127.0.0.1', port });
		service.deliveries.start();
		const end = async () => {
			closing.abort();
			await app.close();
			await service.deliveries.stop();
			store.close();
		};
		let closed: Promise<void> | undefined;
		const close = () => (closed ??= end());
		return Object.assign(service, { origin, baseUrl: `${origin}/api`, endpoints, close });
	} catch (error) {
		store.close();
		throw error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
			? new InvalidSettingError(`Port ${port} is in use. Choose another one with --port.`)
			: error;
	}
}
