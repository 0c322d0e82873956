/** Words for the form of a body. Nothing in them is content of the service. */
import type { Answer } from './client.mts';
import { content } from './product.mts';
import { safeNames } from './report.mts';

export type BodyKind = 'empty' | 'documented error' | 'json' | 'html' | 'text';

export function kindOf({ text, json }: Pick<Answer, 'text' | 'json'>): BodyKind {
	if (text.trim() === '') return 'empty';
	if (json === undefined) return /^\s*</.test(text) ? 'html' : 'text';
	return content.readError(json).code === undefined ? 'json' : 'documented error';
}

export function bodyWords({ text, json }: Pick<Answer, 'text' | 'json'>): string {
	switch (kindOf({ text, json })) {
		case 'empty':
			return 'an empty body';
		case 'html':
			return 'a web page';
		case 'text':
			return 'plain text';
		case 'documented error':
			return `the documented error object (code ${safeNames([content.readError(json).code ?? ''])})`;
		case 'json':
			return Array.isArray(json)
				? 'a JSON array'
				: `JSON with ${safeNames(Object.keys(Object(json) as object))}`;
	}
}

/** The records of a list, as the package reads them; undefined when it cannot. */
export function recordsOf(
	{ json }: Pick<Answer, 'json'>,
	name: Parameters<typeof content.readList>[1],
): Record<string, unknown>[] | undefined {
	return content.readList(json, name);
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
