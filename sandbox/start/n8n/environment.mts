import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { Secrets } from './secrets.mts';

export interface N8nSettings {
	/** The folder whose node_modules holds n8n. */
	installation: string;
	/** n8n keeps everything in the folder .n8n in here. */
	userFolder: string;
	port: number;
	/** The port of n8n's own JavaScript runner. */
	brokerPort: number;
	secrets: Secrets;
}

/** What a process needs from the user's environment; the user's own settings for n8n or a database stay out. */
const inherited = [
	'PATH',
	'HOME',
	'USER',
	'LANG',
	'LC_ALL',
	'TMPDIR',
	'NODE_EXTRA_CA_CERTS',
	'HTTP_PROXY',
	'HTTPS_PROXY',
	'http_proxy',
	'https_proxy',
];

/** n8n's settings: on loopback only, with an owner account, and without asking or telling anybody on the internet. */
export function n8nEnvironment(settings: N8nSettings): NodeJS.ProcessEnv {
	const own = Object.fromEntries(inherited.map((name) => [name, process.env[name]]));
	return {
		...own,
		NO_PROXY: '127.0.0.1,localhost',
		N8N_USER_FOLDER: settings.userFolder,
		N8N_ENCRYPTION_KEY: settings.secrets.encryptionKey,
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone,

		// addresses
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(settings.port),
		N8N_PROTOCOL: 'http',
		N8N_SECURE_COOKIE: 'false', // plain http, which never leaves this computer
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(settings.brokerPort),

		// the owner, set again at each start: the login that the playground prints always works
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: settings.secrets.email,
		N8N_INSTANCE_OWNER_PASSWORD_HASH: hashPassword(settings),
		N8N_INSTANCE_OWNER_FIRST_NAME: 'Playground',
		N8N_INSTANCE_OWNER_LAST_NAME: 'Owner',

		// nothing goes out
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		// the list of MCP servers is fetched; n8n's AI assistant greets everybody who logs in
		N8N_DISABLED_MODULES: 'mcp-registry,instance-ai',
		N8N_PERSONALIZATION_ENABLED: 'false',

		// settings whose defaults n8n is about to change
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_RUNNERS_MODE: 'internal',
		N8N_RUNNERS_TASK_TIMEOUT: '60',
		N8N_PYTHON_ENABLED: 'false',

		// a workflow that runs every few seconds leaves a lot of executions behind
		EXECUTIONS_DATA_MAX_AGE: '48',
		EXECUTIONS_DATA_PRUNE_MAX_COUNT: '1000',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		EXTERNAL_HOOK_FILES: join(import.meta.dirname, 'executionHook.cjs'),
	};
}

interface Bcrypt {
	hashSync: (password: string, salt: string) => string;
	encodeBase64: (bytes: Buffer, length: number) => string;
}

/** The same hash at each start: n8n logs everybody out whose password's hash has changed. */
function hashPassword({ installation, secrets }: N8nSettings): string {
	const bcrypt = createRequire(join(installation, 'package.json'))('bcryptjs') as Bcrypt;
	const salt = createHash('sha256').update(`salt ${secrets.password}`).digest().subarray(0, 16);
	return bcrypt.hashSync(secrets.password, `$2b$10$${bcrypt.encodeBase64(salt, salt.length)}`);
}
