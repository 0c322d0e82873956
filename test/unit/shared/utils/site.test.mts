/** Sites in Get Many and Get Summary. */
import { expect, test } from 'vitest';

import { normalizeSite } from '../../../../nodes/shared/utils/site.ts';

test('the filter name is equal for two forms of a site, and different for two sites', () => {
	expect(normalizeSite('HTTPS://WWW.münchen.example:443/Blog//')).toBe(
		'xn--mnchen-3ya.example/blog',
	);
	expect(normalizeSite('http://a.example:8080')).toBe('a.example:8080');
	expect(normalizeSite('site_1A')).toBe('site_1a');
	expect(normalizeSite('http://[')).toBe('http://[');
	expect(normalizeSite('a.example/go?to=https://b.example')).toBe('a.example/go');
});
