import { codeOf, runCommand } from './command.mjs';
import { cannotWrite, endOf, InstallationError, showProgress } from './installation.mjs';

// Plain JavaScript, because it is needed before Node 24 is there.

const noNetwork = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN)\b/;
const connectionTrouble = /\b(ETIMEDOUT|ECONNRESET|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|ENOTCACHED)\b/;
const diskFull = /\b(ENOSPC|EDQUOT)\b/;
const notWritable = /\b(EACCES|EROFS)\b[^]*?\bpath (.+)/;

/**
 * @typedef {object} NpmOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} [env] more variables
 * @property {AbortSignal} [signal]
 * @property {string} title what is going on, in the user's words
 * @property {string} usually how long it takes, for the progress line
 * @property {boolean} [network] whether it needs the registry (default): then a missing network is noticed at once, not
 *   after npm's minutes of retries
 * @property {string} [remedy] what the user can do when it fails
 */

/**
 * Runs npm with progress and with failures in plain English, and resolves to what it printed.
 *
 * @param {string[]} args
 * @param {NpmOptions} options
 * @returns {Promise<string>}
 * @throws InstallationError, or the signal's reason when stopped
 */
export async function runNpm(args, { cwd, env, signal, title, usually, network = true, remedy }) {
	const options = { cwd, signal, ...(env && { env }) };
	let everything = args;
	if (network) {
		const ping = await npm(['ping', '--fetch-retries=0', '--fetch-timeout=30000'], options);
		// npm's cache may hold all that is needed, so being offline is not yet a reason to give up.
		if (ping.code !== 0 && noNetwork.test(ping.output)) everything = [...args, '--offline'];
	}
	const finished = showProgress(title, usually);
	let result;
	try {
		result = await npm(everything, options);
	} catch (error) {
		finished('stopped');
		throw error;
	}
	finished(result.code === 0 ? 'done' : 'failed');
	if (result.code !== 0) {
		const reason = explain(title, result.output, network);
		throw new InstallationError(remedy === undefined ? reason : `${reason}\n${remedy}`);
	}
	return result.output;
}

/**
 * The environment for an npm that must not inherit what the npm above this process has set.
 *
 * @param {NodeJS.ProcessEnv} additions
 * @returns {NodeJS.ProcessEnv}
 */
function environmentForNpm(additions = {}) {
	const own = /^npm_(lifecycle_|package_|command$|execpath$|node_execpath$|config_local_prefix$)/;
	const inherited = Object.entries(process.env).filter(([name]) => !own.test(name));
	// `npm start --silent` makes every npm below it silent, but its error messages are needed here.
	return { ...Object.fromEntries(inherited), npm_config_loglevel: 'notice', ...additions };
}

/**
 * @param {string} title
 * @param {string} output
 * @param {boolean} network
 */
function explain(title, output, network) {
	if (diskFull.test(output)) {
		return 'The disk is full. Free some space and run the same command again.';
	}
	if (network && (noNetwork.test(output) || connectionTrouble.test(output))) {
		return 'No network: npm cannot reach its registry. Connect this computer (or set a proxy with "npm config set proxy …") and run the same command again.';
	}
	const path = notWritable.exec(output)?.[2];
	if (path !== undefined) return cannotWrite(path);
	const missing = /No matching version found for (\S+?)\.?$/m.exec(output);
	if (missing) return `${title}: the registry has no ${missing[1]}.`;
	return `${title}: npm gave up. The end of what it said:\n\n${endOf(output, 25)}\n`;
}

/**
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal | undefined }} options
 */
async function npm(args, { cwd, env, signal }) {
	try {
		return await runCommand('npm', args, { cwd, env: environmentForNpm(env), signal });
	} catch (error) {
		if (codeOf(error) !== 'ENOENT') throw error;
		throw new InstallationError(
			'There is no npm on the PATH. Install it with Node.js from https://nodejs.org.',
		);
	}
}
