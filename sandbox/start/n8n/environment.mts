import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { Secrets } from './secrets.mts';

export interface N8nSettings {
	/** The folder whose node_modules contains n8n. */
	installation: string;
	/** n8n stores its data in .n8n below this folder. */
	userFolder: string;
	port: number;
	/** Port of n8n's task runner for JavaScript. */
	brokerPort: number;
	secrets: Secrets;
}

/**
 * Variables that n8n gets from the user's environment. The user's own settings for n8n or a
 * database are left out.
 */
const inheritedVariables = [
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

/**
 * Returns n8n's settings: only on the loopback interface, with an owner account, and without
 * requests to the internet.
 */
export function n8nEnvironment(settings: N8nSettings): NodeJS.ProcessEnv {
	const own = Object.fromEntries(inheritedVariables.map((name) => [name, process.env[name]]));
	const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
	return {
		...own,
		NO_PROXY: '127.0.0.1,localhost',
		N8N_USER_FOLDER: settings.userFolder,
		N8N_ENCRYPTION_KEY: settings.secrets.encryptionKey,
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		// n8n 2.41: the editor's list of time zones has Etc/UTC, but not UTC.
		GENERIC_TIMEZONE: timeZone === 'UTC' ? 'Etc/UTC' : timeZone,

		// Addresses
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(settings.port),
		N8N_PROTOCOL: 'http',
		N8N_SECURE_COOKIE: 'false', // plain http, which never leaves this computer
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(settings.brokerPort),

		// The owner is set at every start, so the login that is printed always works.
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: settings.secrets.email,
		N8N_INSTANCE_OWNER_PASSWORD_HASH: hashPassword(settings),
		N8N_INSTANCE_OWNER_FIRST_NAME: 'Playground',
		N8N_INSTANCE_OWNER_LAST_NAME: 'Owner',

		// No requests to the internet
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		// mcp-registry fetches a list of MCP servers; instance-ai greets every user who logs in.
		N8N_DISABLED_MODULES: 'mcp-registry,instance-ai',
		N8N_PERSONALIZATION_ENABLED: 'false',

		// Settings whose defaults will change in a later n8n
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_RUNNERS_MODE: 'internal',
		N8N_RUNNERS_TASK_TIMEOUT: '60',
		N8N_PYTHON_ENABLED: 'false',

		// A workflow that runs every few seconds leaves many executions.
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

/** Hashes the password with a fixed salt: n8n logs out every user whose hash has changed. */
function hashPassword({ installation, secrets }: N8nSettings): string {
	const bcrypt = createRequire(join(installation, 'package.json'))('bcryptjs') as Bcrypt;
	const salt = createHash('sha256').update(`salt ${secrets.password}`).digest().subarray(0, 16);
	return bcrypt.hashSync(secrets.password, `$2b$10$${bcrypt.encodeBase64(salt, salt.length)}`);
}
