/**
 * Well-formed JSON that makes no sense: the right answer with some of its values in other types, left out, renamed,
 * wrapped or nested differently. What it says about states stays true or becomes unreadable; a service that lies plausibly
 * is another matter.
 */

/** The same seed gives the same numbers (mulberry32, public domain). */
export function randomNumbers(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const strangeTexts = [
	'null',
	'false',
	'""',
	'" "',
	'"100"',
	'"1,000"',
	'"not a number"',
	'"<b>no</b>"',
	'0',
	'-1',
	'1.5',
	'1e21',
	'12345678901234567890',
	'[]',
	'{}',
	'[[]]',
	'[[[[{}]]]]',
	'[null]',
	'[1,"2",null]',
	'{"error":{}}',
	'{"error":{"code":7,"message":[]}}',
	'{"error":"no"}',
	'{"success":false}',
	'{"data":{"data":{"data":[]}}}',
	'{"__proto__":{"status":7}}',
	'{"constructor":null,"toString":null}',
	'{"length":3}',
	`"${'long '.repeat(400)}"`,
	`${'['.repeat(60)}${']'.repeat(60)}`,
];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** @param body the right answer's JSON; anything else is replaced whole */
export function nonsenseOf(body: string, random: () => number): string {
	const pick = <Value,>(values: readonly Value[]): Value =>
		values[Math.floor(random() * values.length)] as Value;
	/** A strange value, which is never `true`, because in the place of `false` that would be a lie. */
	const strange = (): Json => JSON.parse(pick(strangeTexts)) as Json;
	let json: Json;
	try {
		json = JSON.parse(body) as Json;
	} catch {
		return JSON.stringify(strange());
	}
	const changes = 1 + Math.floor(random() * 4);
	for (let change = 0; change < changes; change += 1) json = changed(json, 0);
	return JSON.stringify(json);

	/** Makes one change somewhere in the value; the deeper the place, the likelier the change stops there. */
	function changed(value: Json, depth: number): Json {
		if (random() < 0.15 + depth * 0.15) return replaced(value);
		if (Array.isArray(value) && value.length > 0) {
			const place = Math.floor(random() * value.length);
			return value.map((entry, index) => (index === place ? changed(entry, depth + 1) : entry));
		}
		if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
			return changedObject(value, depth);
		}
		return replaced(value);
	}

	function changedObject(value: { [key: string]: Json }, depth: number): Json {
		const entries = Object.entries(value);
		if (entries.length === 0) return strange();
		const place = Math.floor(random() * entries.length);
		const [key = '', inner = null] = entries[place] ?? [];
		const kind = random();
		if (kind < 0.15) entries.splice(place, 1);
		else if (kind < 0.3) entries[place] = [`${key}_of_old`, inner];
		else if (kind < 0.4) {
			entries.push([pick(['error', 'success', 'data', 'next', 'items']), strange()]);
		} else entries[place] = [key, changed(inner, depth + 1)];
		return Object.fromEntries(entries);
	}

	function replaced(value: Json): Json {
		const kind = random();
		if (kind < 0.15) return [value];
		if (kind < 0.3) return { value };
		if (kind < 0.45 && typeof value === 'number') return String(value);
		if (kind < 0.45 && Array.isArray(value)) return Object.fromEntries(value.entries());
		return strange();
	}
}
