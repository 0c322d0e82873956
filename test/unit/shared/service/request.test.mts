import { expect, test } from 'vitest';

import { hidingKey } from '../../../../nodes/shared/service/request.ts';

test('a key of eight characters is taken out of a text; a shorter one stands in other words, too', () => {
	expect(hidingKey('key_1234')('The key_1234 is wrong')).toBe('The (API key) is wrong');
	expect(hidingKey('key_123')('The key_1234 is wrong')).toBe('The key_1234 is wrong');
});

test('a key is hidden as an address within an address writes it', () => {
	const key = 'sk+live/4eC39H==';
	const nested = encodeURIComponent(encodeURIComponent(key));
	expect(hidingKey(key)(`next=${nested}&x`)).toBe('next=(API key)&x');
});
