import type { ServiceResponse } from '../../../../nodes/shared/service/response.ts';
import { steadyNow } from '../../../../nodes/shared/time.ts';

/** An answer that has just come: an empty list, unless it is given. */
export function answered(given: Partial<ServiceResponse> = {}) {
	const usual = { url: '', statusCode: 200, headers: {}, text: '', json: [], size: 2 };
	return {
		kind: 'answered' as const,
		response: { ...usual, askedAt: steadyNow(), receivedAt: steadyNow(), ...given },
	};
}
