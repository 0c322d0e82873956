import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder where this system keeps what this project has downloaded and can download again. */
export function cacheFolder(): string {
	const { XDG_CACHE_HOME } = process.env;
	const named = 'n8n-nodes-backlink-exchange';
	// The XDG specification says to ignore a relative one.
	if (XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME)) {
		return join(XDG_CACHE_HOME, named);
	}
	return join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', named);
}
