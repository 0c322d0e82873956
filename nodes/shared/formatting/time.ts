import { BoundedMap } from '../utils/boundedMap';

/** By time zone, because creating one takes as long as formatting hundreds of times. */
const formats = new BoundedMap<string, Intl.DateTimeFormat>(100);

/**
 * Formats a time: `1 Jul 2026, 14:00 CEST`.
 *
 * @param epochSeconds a time of the years 0 to 9999
 * @param timeZone IANA name, such as `Europe/Berlin`. One that isn't known counts as UTC, because a
 * message in UTC is better than none
 */
export function formatTime(epochSeconds: number, timeZone: string): string {
	return formats.getOrCreate(timeZone, () => createFormat(timeZone)).format(epochSeconds * 1000);
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
	const options: Intl.DateTimeFormatOptions = {
		day: 'numeric',
		month: 'short',
		year: 'numeric',
		hour: '2-digit',
		minute: '2-digit',
		timeZoneName: 'short',
	};
	try {
		return new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
	} catch {
		return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
	}
}
