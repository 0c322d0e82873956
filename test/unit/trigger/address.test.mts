import { expect, it } from 'vitest';

import { isLoopback } from '../../../nodes/BacklinkExchangeTrigger/address.ts';

it.each([
	['http://localhost:5678/webhook/x', true],
	['https://n8n.localhost/webhook/x', true],
	['http://127.0.0.1:5678/', true],
	['http://127.1.2.3/', true],
	['http://[::1]:5678/', true],
	['http://0.0.0.0:5678/', true],
	['https://n8n.example.com/webhook/localhost', false],
	['https://localhost.example.com/', false],
	['http://192.168.1.4:5678/', false],
	['http://[2001:db8::1]/', false],
])('%s: only this machine reaches it: %s', (url, expected) => {
	expect(isLoopback(url)).toBe(expected);
});
