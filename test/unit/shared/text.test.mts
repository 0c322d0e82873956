import { expect, test } from 'vitest';

import { shorten } from '../../../nodes/shared/text.ts';

test('a text becomes one line of at most the given length', () => {
	expect(shorten(' one\n\t two ', 10)).toBe('one two');
	expect(shorten('1234567890', 10)).toBe('1234567890');
	expect(shorten('12345678901', 10)).toBe('123456789…');
	expect(shorten('12345678 01', 10)).toBe('12345678…');
});
