import { isNonBlankScalar } from '../utils/ids';
import { isObject } from '../utils/isObject';
import { truncate } from '../utils/text';

const maxCellLength = 500;

/**
 * Formats a site for a table cell. The service may send a string, or an object with a URL, a name
 * or an ID.
 */
export function formatSiteCell(site: unknown): string | undefined {
	return formatCell(isObject(site) ? (site.url ?? site.name ?? site.id) : site);
}

/**
 * Formats a value for a table cell.
 *
 * @returns `undefined` unless the value is a number or a non-blank string
 */
export function formatCell(value: unknown): string | undefined {
	return isNonBlankScalar(value) ? truncate(String(value), maxCellLength) : undefined;
}
