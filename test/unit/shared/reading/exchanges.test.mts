import { expect, test } from 'vitest';

import { findExchange } from '../../../../nodes/shared/reading/exchanges.ts';
import type { ServiceConnection } from '../../../../nodes/shared/service/connection.ts';

test('a list is not searched again for each of many that are looked for in it', async () => {
	const count = 500;
	let looks = 0;
	const json = Array.from({ length: count }, (_, index) => ({
		get id() {
			looks++;
			return `exc_${index}`;
		},
		status: 'pending',
	}));
	const response = { url: 'http://x.example/api/exchanges', statusCode: 200, headers: {}, json };
	const get = () => Promise.resolve({ kind: 'answered', response });
	for (let index = 0; index < count; index++) {
		const connection = { get, hasRead: () => false } as unknown as ServiceConnection;
		const found = await findExchange(connection, `exc_${index}`, {});
		expect('record' in found && found.record === json[index]).toBe(true);
	}
	expect(looks).toBeLessThan(10 * count);
});
