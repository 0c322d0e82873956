/** The bodies that faults put in the place of the right ones. */
import { ServiceError } from '../errors.mts';

export function serviceUnavailable(status: number): ServiceError {
	return new ServiceError(
		status,
		'service_unavailable',
		'The service is not available at the moment.',
	);
}

export const notJson =
	'<!doctype html><title>Welcome</title><p>This is not the answer that you are looking for.</p>';

/** The first half of a JSON body, as a proxy passes it on when the connection behind it breaks. */
export function malformed(payload: unknown): string {
	return typeof payload === 'string' && payload.length > 1
		? payload.slice(0, Math.ceil(payload.length / 2))
		: '{"';
}
