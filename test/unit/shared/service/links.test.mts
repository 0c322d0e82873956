/** The next page in a Link header. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { readNextLink } from '../../../../nodes/shared/service/links.ts';

const page = 'https://service.example/api/exchanges?status=pending';
const next = (link: string) => readNextLink({ link }, page);

test.each([
	['</api/exchanges?page=2>; rel="next"', 'https://service.example/api/exchanges?page=2'],
	['<https://service.example/x>; rel=next', 'https://service.example/x'],
	['<?page=2>; REL="Next"', 'https://service.example/api/exchanges?page=2'],
	['</first>; rel="first", </two>; title="a"; rel="next last"', 'https://service.example/two'],
	['</x>; title="a, b; <c>"; rel="next"', 'https://service.example/x'],
	['</x>; title="say \\"rel=prev\\", then"; rel="next"', 'https://service.example/x'],
	['</a,b;c>; rel="next"', 'https://service.example/a,b;c'],
	['</x> ; rel = "next"', 'https://service.example/x'],
	['<?page=2#top>; rel=next', 'https://service.example/api/exchanges?page=2'],
	['</x>;rel=next;', 'https://service.example/x'],
	[',, </x>; rel=next', 'https://service.example/x'],
	[`<${'a'.repeat(9000)}>; rel="next"`, `https://service.example/api/${'a'.repeat(9000)}`],
])('the next page of the header %s', (link, url) => {
	expect(next(link)).toBe(url);
});

test.each([
	'</prev>; rel="prev"',
	'</x>; rel="nextpage"',
	'</x>; rel="prev"; rel="next"',
	'</x>; title="; rel=next"',
	'</x>; anchor="#foo"; rel="next"',
	'next',
	'</next>',
	'',
])('a header that names no next page: %s', (link) => {
	expect(next(link)).toBeUndefined();
});

test.each(['<http://[>; rel="next"', 'https://service.example/x; rel=next', '</x; rel="next"'])(
	'a next page whose address cannot be read is said, not taken for the end: %s',
	(link) => {
		expect(next(link)).toBe('');
	},
);

test('no header, no next page', () => {
	expect(readNextLink({}, page)).toBeUndefined();
});

test('a header of any form is read without a throw', () => {
	const confusing = fc.stringMatching(/^[<>;,="\\ relnxt]{0,200}$/);
	fc.assert(
		fc.property(fc.oneof(fc.string({ maxLength: 500 }), confusing), (text) => {
			next(text);
		}),
	);
});
