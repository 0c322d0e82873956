import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isEarlierStore } from '../../store/store.mts';

/**
 * Version of the data folder. It increases whenever saved workflows or stored records of an earlier
 * version can't be used any longer.
 */
const dataVersion = 2;

const versionFile = 'data-version';

/**
 * Moves the data of an earlier version away, so that the start begins with fresh data.
 *
 * @returns the new path of the earlier data, or `undefined` if there is none
 */
export function moveEarlierData(folder: string): string | undefined {
	if (!isEarlier(folder)) return undefined;
	for (let number = 1; ; number++) {
		const target = `${folder}-earlier${number === 1 ? '' : `-${number}`}`;
		if (existsSync(target)) continue;
		renameSync(folder, target);
		return target;
	}
}

/** Marks a data folder as one of this version. */
export function writeDataVersion(folder: string): void {
	writeFileSync(join(folder, versionFile), `${dataVersion}\n`);
}

function isEarlier(folder: string): boolean {
	if (isEarlierStore(join(folder, 'sandbox.sqlite'))) return true;
	if (!existsSync(join(folder, 'secrets.json'))) return false;
	const file = join(folder, versionFile);
	const version = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 1;
	return version < dataVersion;
}
