import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	INode,
	INodeProperties,
	INodePropertyOptions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';

import { toNodeOperationError } from '../errors';
import { quote } from '../formatting/message';
import { isObject } from '../utils/isObject';
import { findInvisible, trimInvisible } from '../utils/text';

/** What stands for a letter that could not be decoded, as in a file that is not UTF-8 and was read as if it were. */
const replacementCharacter = '\uFFFD';

/**
 * The one reader for every parameter and option of the three nodes. n8n validates nothing that an expression, an AI tool
 * or a workflow written by hand gives, so a value may be of any type. What was not added has its default. What was added, and
 * cannot be read or is out of range, is an error before any request that names the field, the value and the item: it never
 * has its default in silence, because a limit that is silently off spends credits.
 */
export class ParameterReader {
	readonly #source: Source;

	private constructor(source: Source) {
		this.#source = source;
	}

	/**
	 * The parameters of a node that works on items; the result gives those of one of them. A parameter that holds no
	 * expression is the same for all items, and read once.
	 */
	static forItems(context: IExecuteFunctions): (itemIndex: number) => ParameterReader {
		const node = context.getNode();
		const constants = new Map<string, unknown>();
		return (itemIndex) =>
			new ParameterReader({
				node,
				itemIndex,
				timeZone: () => context.getTimezone(),
				getValue({ name, default: defaultValue }) {
					if (constants.has(name)) return constants.get(name);
					const value: unknown = context.getNodeParameter(name, itemIndex, defaultValue);
					// n8n marks an expression, wherever in the parameter it is, with "=" at the front.
					const isExpression = /"=/.test(JSON.stringify(node.parameters[name]) ?? '');
					if (!isExpression) constants.set(name, value);
					return value;
				},
			});
	}

	/** The parameters of a trigger. */
	static forNode(context: IPollFunctions | IWebhookFunctions | IHookFunctions): ParameterReader {
		return new ParameterReader({
			node: context.getNode(),
			getValue: ({ name, default: defaultValue }) => context.getNodeParameter(name, defaultValue),
		});
	}

	/**
	 * The entries of a collection, such as "Options"; those that the user did not add have their defaults.
	 * @param mayBeLeftEmpty whether what was left empty in the panel counts as not added
	 */
	collection(field: Field = options, { ignoreBlank = true } = {}): ParameterReader {
		const rawValue = this.#source.getValue(field);
		if (!isObject(rawValue)) throw this.#createError(field, rawValue, 'a collection of options');
		const rawParameter: unknown = this.#source.node.parameters[field.name];
		// What an expression yields is read, whatever it is.
		const isAdded = ([name]: [string, unknown]) =>
			!(ignoreBlank && isObject(rawParameter) && isBlank(rawParameter[name]));
		const entries = Object.fromEntries(Object.entries(rawValue).filter(isAdded));
		return new ParameterReader({
			...this.#source,
			getValue: ({ name, default: defaultValue }) =>
				Object.hasOwn(entries, name) ? entries[name] : defaultValue,
			entries,
		});
	}

	/** Whether the user has added this entry to the collection. */
	has({ name }: INodeProperties): boolean {
		return Object.hasOwn(this.#source.entries ?? {}, name);
	}

	/** A number, or its digits, within the range of the field (`minValue`, `maxValue`), a whole one where `numberPrecision` is 0. */
	number(field: INodeProperties): number {
		const value = this.#source.getValue(field);
		// Digits alone: a "." or "," may separate thousands or decimals, depending on who wrote it.
		const isDigits = typeof value === 'string' && /^\s*\d{1,16}\s*$/.test(value);
		const number = isDigits || typeof value === 'number' ? Number(value) : NaN;
		const { minValue = 0, maxValue, numberPrecision } = field.typeOptions ?? {};
		const hasAllowedPrecision = Number.isInteger(number) || numberPrecision !== 0;
		if (
			hasAllowedPrecision &&
			number >= minValue &&
			number <= (maxValue ?? Number.MAX_SAFE_INTEGER)
		) {
			return number;
		}
		const kind = numberPrecision === 0 ? 'a whole number' : 'a number';
		const range =
			maxValue === undefined ? `of at least ${minValue}` : `from ${minValue} to ${maxValue}`;
		const expected = `${kind} ${range} in digits alone, without separators or units`;
		const problem = Number.isNaN(number) ? undefined : 'is out of range';
		throw this.#createError(field, value, expected, problem);
	}

	boolean(field: INodeProperties): boolean {
		const value = this.#source.getValue(field);
		const normalized = typeof value === 'string' ? value.trim().toLowerCase() : value;
		if (normalized === true || normalized === 'true') return true;
		if (normalized === false || normalized === 'false') return false;
		throw this.#createError(field, value, 'true or false');
	}

	option(field: INodeProperties): string {
		const value = this.#source.getValue(field);
		const allowedValues = getOptionValues(field);
		const option = typeof value === 'string' ? value.trim() : '';
		if (allowedValues.includes(option)) return option;
		throw this.#createError(field, value, `one of ${allowedValues.join(', ')}`);
	}

	multiOptions(field: INodeProperties): string[] {
		const value = this.#source.getValue(field);
		const allowedValues = getOptionValues(field);
		const options: unknown[] = Array.isArray(value) ? value : [];
		const isAllowed = (option: unknown): option is string =>
			allowedValues.includes(option as string);
		if (options.length > 0 && options.every(isAllowed)) return options;
		throw this.#createError(field, value, `a list of at least one of ${allowedValues.join(', ')}`);
	}

	/**
	 * A text without blanks and invisible characters around it; empty only where the field is not required. A number counts as a text where it is
	 * exact: beyond 2^53 an ID that came as a number is no longer the one that was meant.
	 */
	string(field: INodeProperties, expected = 'a text'): string {
		const text = this.#toText(field, this.#source.getValue(field), expected);
		if (text !== '' || (field.required !== true && !this.has(field))) return text;
		throw this.#createError(field, text, expected);
	}

	/** The lines of a text as they are, because each of them is judged for itself. */
	lines(field: INodeProperties): string[] {
		const value = this.#source.getValue(field);
		if (typeof value !== 'string') throw this.#createError(field, value, 'a text');
		return value.split(/\r\n|[\n\v\f\r\u2028\u2029]/);
	}

	/** The entries of a text, however they are separated or quoted; there are none only where the user has added nothing. */
	list(field: INodeProperties): string[] {
		return this.aliasGroups(field).flat();
	}

	/**
	 * The entries of a field that takes several, each with all its names: an entry that is chosen from a list may have two
	 * (`searchSites`). They may come as rows, as an array of an expression, or in one text, however they are separated or quoted.
	 */
	aliasGroups(field: INodeProperties): string[][] {
		const groups = toArray(this.#source.getValue(field)).flatMap((row) => {
			const values = toArray(unwrapLocator(row));
			const entries = values.flatMap((value) => splitList(this.#toText(field, value, 'a text')));
			const isListSelection = isObject(row) && row.mode === 'list' && entries.length > 0;
			return isListSelection ? [entries] : entries.map((entry) => [entry]);
		});
		if (groups.length === 0 && this.has(field)) throw this.#createError(field, '', 'a text');
		return groups;
	}

	/** A moment, in epoch milliseconds. Without a zone, as n8n's date field gives it, it is in the workflow's time zone. */
	dateTime(field: INodeProperties): number {
		const value = this.#source.getValue(field);
		// An expression may give a Date or n8n's DateTime; both are ISO 8601 as JSON.
		const json = isObject(value) ? (JSON.parse(JSON.stringify(value)) as unknown) : value;
		const text = typeof json === 'string' ? trimInvisible(json) : '';
		if (/^\d{4}-\d{2}-\d{2}($|[T ])/.test(text)) {
			try {
				const dateTime = tryToParseDateTime(text, this.#source.timeZone?.());
				// A 30th of February is refused, although it can be read as a day of March.
				if (dateTime.day === Number(text.slice(8, 10))) return dateTime.toMillis();
			} catch {
				// A text that has the form of a date, and names none, is refused below like any other text.
			}
		}
		throw this.#createError(field, value, 'a date and time, for example 2026-07-01T12:00:00Z');
	}

	/** The error for a value of the right type that the field cannot use. */
	invalid(field: INodeProperties, value: unknown, expected: string): Error {
		return this.#createError(field, value, expected, 'cannot be used');
	}

	#toText(field: INodeProperties, value: unknown, expected: string): string {
		const rawValue = unwrapLocator(value);
		if (typeof rawValue !== 'string' && !Number.isSafeInteger(rawValue)) {
			throw this.#createError(field, rawValue, expected);
		}
		const text = trimInvisible(String(rawValue));
		if (text.includes(replacementCharacter)) {
			const hint = `${expected}. Letters were lost where ${replacementCharacter} stands: read the file in the encoding in which it was saved`;
			throw this.#createError(field, rawValue, hint, 'was not decoded rightly');
		}
		return text;
	}

	#createError(
		{ displayName, default: defaultValue }: Pick<Field, 'displayName' | 'default'>,
		value: unknown,
		expected: string,
		problem = 'cannot be read',
	): Error {
		const { node, itemIndex, entries } = this.#source;
		const rawValue = typeof value === 'string' ? trimInvisible(value) : value;
		const isEmpty = rawValue === undefined || rawValue === null || rawValue === '';
		const message = isEmpty
			? `"${displayName}" is empty`
			: `"${displayName}" ${problem}: received ${describeValue(value)}`;
		const subject = isEmpty ? 'Fill it in, or check what its expression yields: it' : 'It';
		const defaultHint = defaultValue === '' ? '' : ` to use ${JSON.stringify(defaultValue)}`;
		const hint = entries === undefined ? '' : `, or remove the option${defaultHint}`;
		const position = itemIndex === undefined ? '' : ` Item index: ${itemIndex}.`;
		const description = `${subject} has to be ${expected}${hint}. No request was sent for it.${position}`;
		return toNodeOperationError(node, { message, description }, itemIndex);
	}
}

type Field = Pick<INodeProperties, 'name' | 'displayName' | 'default'>;

const options: Field = { name: 'options', displayName: 'Options', default: {} };

/** Where the values come from. */
interface Source {
	node: INode;
	itemIndex?: number;
	timeZone?(): string;
	/** The value as it is, of any type; the default where nothing was set. */
	getValue(field: Omit<Field, 'displayName'>): unknown;
	/** Of a collection: what the user has added to it. */
	entries?: IDataObject;
}

/** What n8n's resource locator holds; anything else as it is. */
function unwrapLocator(value: unknown): unknown {
	return isObject(value) && 'mode' in value && 'value' in value ? value.value : value;
}

function toArray(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [value];
}

/** Whether a field as it is written holds nothing, not even an expression. */
function isBlank(rawParameter: unknown): boolean {
	const value = unwrapLocator(rawParameter);
	if (Array.isArray(value)) return value.every(isBlank);
	return value === null || (typeof value === 'string' && value.trim() === '');
}

function splitList(text: string): string[] {
	return text
		.normalize('NFKC')
		.split(/[,;、،؛|"“”\t\n\v\f\r\u2028\u2029]/)
		.map(trimInvisible)
		.filter((entry) => entry !== '');
}

function getOptionValues({ options = [] }: INodeProperties): string[] {
	return (options as INodePropertyOptions[]).map(({ value }) => String(value));
}

/** A value in words, for a message; a list or object is never repeated. */
function describeValue(value: unknown): string {
	if (typeof value === 'string') {
		const invisibleCharacter = findInvisible(value);
		const invisibleNote =
			invisibleCharacter === undefined
				? ''
				: ` with the invisible character ${invisibleCharacter} in it`;
		return `the text ${quote(value)}${invisibleNote}`;
	}
	if (typeof value === 'number') return `the number ${value}`;
	if (typeof value === 'boolean') return String(value);
	if (Array.isArray(value)) return `a list of ${value.length} entries`;
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
