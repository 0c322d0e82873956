/** Which base URLs and keys are used, and what is said of the others. That nothing is sent then: test/engine/credentialTest.test.mts. */
import { expect, test } from 'vitest';

import { readCredential } from '../../../../nodes/shared/service/credential.ts';

const host = 'https://app.example.com';

/** The base URL as it is used, or what is wrong with it or with the key. */
function read(entered: { baseUrl?: unknown; apiKey?: unknown }): string {
	const account = readCredential({ baseUrl: host, apiKey: 'key_1', ...entered } as never);
	return 'baseUrl' in account ? account.baseUrl : `${account.message}. ${account.description}`;
}

test('what nobody sees around a base URL does no harm, and a host is the same however it is written', () => {
	expect(read({ baseUrl: '\u200b https://APP.example.com:443/api// \u2060' })).toBe(`${host}/api`);
});

test.each([
	...['http://localhost:4100/api', 'http://127.0.0.1/api', 'http://10.1.2.3/', 'http://127.1/api'],
	...['http://192.168.1.5/api', 'http://169.254.1.1/api', 'http://172.31.0.1', 'http://[fd12::1]'],
	...['http://[::1]:4100', 'http://[fe80::1]/api', 'http://sandbox:4100/api'],
	...['http://host.docker.internal:4100/api', 'http://service.default.svc.cluster.local/api'],
	...['http://1service.lan./api'],
])('%s is used, because it is in the own network', (baseUrl) => {
	expect(read({ baseUrl })).toMatch(/^http:/);
});

test.each([
	...['', undefined, 5].map((nothing) => [nothing, 'Enter the base URL']),
	['app.example.com/api', `lacks https:// at its beginning. Enter it as ${host}/api.`],
	['app.example.com', `lacks https:// at its beginning. Enter it as ${host}/api.`],
	['app.example.com/proxy/api', `Enter it as ${host}/proxy/api.`],
	['app.example.com/api/sites', `Enter it as ${host}/api.`],
	['localhost:4100/api', 'lacks https://'],
	['ftp://app.example.com/api', 'has to begin with https://'],
	['https//app.example.com/api', 'has to begin with https://'],
	[`"${host}/api"`, 'has to begin with https://'],
	['={{ $json.baseUrl }}', 'has to begin with https://'],
	['https://https://app.example.com/api', 'Check the spelling'],
	[`${host}/{api}`, 'Check the spelling'],
	[`${host}/api,`, 'Check the spelling'],
	['https://app. example.com/api', 'Check the spelling'],
	[`${host}/ api`, 'Check the spelling'],
	['https://', 'not a web address'],
	['https://user:word@app.example.com/api', 'without a user'],
	[`${host}/login?x=1`, `Enter it as ${host}/api.`],
	[`${host}/api?`, 'without a user, a question mark'],
	[`${host}/api/#`, 'a question mark or a number sign'],
])('the base URL %j is not used: %s', (baseUrl, why) => {
	expect(read({ baseUrl })).toContain(why);
});

test.each([
	...['http://app.example.com/api', 'HTTP://APP.EXAMPLE.COM/api', 'http://app.example.com./api'],
	...['http://local.example.com', 'http://notlocal.com', 'http://8.8.8.8', 'http://134744072'],
	...['http://172.32.0.1', 'http://11.0.0.1', 'http://[2001:db8::1]', 'http://[::ffff:8.8.8.8]'],
])('%s is not used, because everybody on the way can read the key', (baseUrl) => {
	expect(read({ baseUrl })).toMatch(
		/does not protect the API key.*https:\/\/ instead of http:\/\//,
	);
});

test.each([
	...['', ' ', undefined, 5].map((nothing) => [nothing, /Enter the API key.*API Keys/] as const),
	...['two words', 'two\nlines', 'keyBearer words', 'ключ'].map(
		(key) => [key, /characters that no key has/] as const,
	),
])('the key %j is not used', (apiKey, why) => {
	expect(read({ apiKey })).toMatch(why);
});
