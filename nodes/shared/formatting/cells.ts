import { isNonBlankScalar } from '../utils/ids';
import { truncate } from '../utils/text';

const maxCellLength = 500;

/**
 * Formats a value for a table cell.
 *
 * @returns `undefined` unless the value is a number or a non-blank string
 */
export function formatCell(value: unknown): string | undefined {
	return isNonBlankScalar(value) ? truncate(String(value), maxCellLength) : undefined;
}
