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

import { errorMessages } from '../errorMessages';
import { toNodeOperationError } from '../errors';
import { joinWords, quote } from '../formatting/message';
import { parseSiteEntry, type SiteName } from '../sites/siteUrl';
import { isObject } from '../utils/isObject';
import { findInvisible, listSeparator, trimInvisible, trimWords } from '../utils/text';

/** A date, or a date and a time of day, with or without a zone. */
const isoDateTime =
	/^[12]\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Other tools' signs for "any", and regular expressions. */
const wordPattern = /[*\\^]|\.\+|^\/.+\/[a-z]*$|\p{L}[[?]\S|\]\p{L}/u;

/**
 * Reads and validates the parameters of all three nodes.
 *
 * n8n doesn't validate values from expressions, AI tools or hand-written workflows, so a value may
 * have any type. Missing values get the default. An invalid value, or one out of range, throws
 * before any request, with field, value and item. It never silently gets the default: a limit that
 * is silently off spends credits.
 */
export class ParameterReader {
	readonly #source: Source;

	private constructor(source: Source) {
		this.#source = source;
	}

	/**
	 * Returns a function that creates the reader of an item. A parameter without an expression is the
	 * same for all items, and read only once.
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
					// n8n marks expressions, at any depth of a parameter, with a leading "=".
					const isExpression = /"=/.test(JSON.stringify(node.parameters[name]) ?? '');
					if (!isExpression) constants.set(name, value);
					return value;
				},
			});
	}

	/** Creates the reader of a trigger. */
	static forNode(context: IPollFunctions | IWebhookFunctions | IHookFunctions): ParameterReader {
		return new ParameterReader({
			node: context.getNode(),
			getValue: ({ name, default: defaultValue }) => context.getNodeParameter(name, defaultValue),
		});
	}

	/**
	 * Returns a reader of a collection, such as "Options". Entries that the user didn't add have
	 * their defaults.
	 *
	 * @param ignoreBlank whether an entry that is blank in the panel counts as not added
	 * @throws {NodeOperationError} if the value isn't an object
	 */
	collection(field: Field = options, { ignoreBlank = true } = {}): ParameterReader {
		const rawValue = this.#source.getValue(field);
		if (!isObject(rawValue)) throw this.invalid(field, rawValue, 'a collection of fields');
		const rawParameter: unknown = this.#source.node.parameters[field.name];
		// The value of an expression always counts, even if it's blank.
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

	/** Returns whether the user added this entry to the collection. */
	has({ name }: INodeProperties): boolean {
		return Object.hasOwn(this.#source.entries ?? {}, name);
	}

	/**
	 * Reads a number, or a string of digits, within the range of the field (`minValue`, `maxValue`).
	 * It must be an integer if `numberPrecision` is 0.
	 *
	 * @throws {NodeOperationError} for any other value
	 */
	number(field: INodeProperties): number {
		const value = this.#source.getValue(field);
		const trimmed = trimIfText(value);
		// Only digits: a "." or "," may separate thousands or decimals, depending on the author.
		const isDigits = typeof trimmed === 'string' && /^\d{1,16}$/.test(trimmed);
		const number = isDigits || typeof trimmed === 'number' ? Number(trimmed) : NaN;
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
			maxValue === undefined ? `of ${minValue} or more` : `from ${minValue} to ${maxValue}`;
		const advice = 'Use digits only, without separators or units (1000, not 1,000).';
		throw this.invalid(field, value, `${kind} ${range}`, Number.isNaN(number) ? advice : undefined);
	}

	boolean(field: INodeProperties): boolean {
		const value = this.#source.getValue(field);
		const trimmed = trimIfText(value);
		const normalized = typeof trimmed === 'string' ? trimmed.toLowerCase() : trimmed;
		if (normalized === true || normalized === 'true') return true;
		if (normalized === false || normalized === 'false') return false;
		throw this.invalid(field, value, 'true or false');
	}

	option(field: INodeProperties): string {
		const value = this.#source.getValue(field);
		const allowedValues = getOptionValues(field);
		const option = trimIfText(value);
		if (typeof option === 'string' && allowedValues.includes(option)) return option;
		throw this.invalid(field, value, 'one of its options', listOptions(allowedValues));
	}

	multiOptions(field: INodeProperties): string[] {
		const value = this.#source.getValue(field);
		const allowedValues = getOptionValues(field);
		const options = Array.isArray(value) ? value.map(trimIfText) : [];
		const isAllowed = (option: unknown): option is string =>
			allowedValues.includes(option as string);
		if (options.length > 0 && options.every(isAllowed)) return options;
		throw this.invalid(
			field,
			value,
			'a list of one or more of its options',
			listOptions(allowedValues),
		);
	}

	/**
	 * Reads a string, without whitespace and invisible characters around it.
	 *
	 * Integers are converted if they are exact: above 2^53, an ID that arrives as a number is no
	 * longer the original one.
	 *
	 * @throws {NodeOperationError} for any other value, and for an empty string if the field is
	 * required or was added
	 */
	string(field: INodeProperties, expected = 'text', advice?: string): string {
		const text = this.#toText(field, this.#source.getValue(field), expected, advice);
		if (text !== '' || (field.required !== true && !this.has(field))) return text;
		throw this.invalid(field, text, expected, advice);
	}

	/**
	 * Reads the entries of a list: one string with any separators or quotes, or an array of such
	 * strings. An expression may return either.
	 *
	 * @throws {NodeOperationError} if the list was added or has an expression, but is empty
	 */
	list(field: INodeProperties): string[] {
		const rows = toArray(this.#source.getValue(field)).flatMap((row) =>
			toArray(unwrapLocator(row)),
		);
		const entries = rows.flatMap((row) => splitList(this.#toText(field, row, 'text')));
		const isIntended = this.has(field) || isExpression(this.#source.node.parameters[field.name]);
		if (entries.length === 0 && isIntended) throw this.invalid(field, '', 'text');
		return entries;
	}

	/**
	 * Reads a list of words, as `list` does.
	 *
	 * @throws {NodeOperationError} for an entry in another tool's notation, because it would silently
	 * match nothing
	 */
	words(field: INodeProperties): string[] {
		const words = this.list(field);
		const pattern = words.find((word) => wordPattern.test(word));
		if (pattern === undefined) return words;
		throw this.invalid(
			field,
			pattern,
			'words, separated by commas',
			'Enter them without * or other signs for “any”.',
		);
	}

	/**
	 * Reads a list of sites, as `list` does.
	 *
	 * @throws {NodeOperationError} for an entry that isn't a URL or an ID, because ignoring it could
	 * spend credits, or because it would have no effect
	 */
	sites(field: INodeProperties): SiteName[] {
		return this.list(field).map((text) => {
			const name = parseSiteEntry(text);
			if (name !== undefined) return name;
			throw this.invalid(
				field,
				text,
				'a list of sites',
				'Enter names such as blog.example, or IDs of sites, separated by commas, without * or other signs for “any”. Pages below an entry are included.',
			);
		});
	}

	/**
	 * Reads a date and time, as epoch milliseconds: a calendar date of ISO 8601 with or
	 * without a time of day, or epoch seconds or milliseconds. Without a time zone, as n8n's date
	 * field returns it, it's in the workflow's time zone.
	 *
	 * @throws {NodeOperationError} for any other value
	 */
	dateTime(field: INodeProperties): number {
		const value = this.#source.getValue(field);
		// Expressions may return a Date or n8n's DateTime; both are ISO 8601 in JSON.
		const json = isObject(value) ? (JSON.parse(JSON.stringify(value)) as unknown) : value;
		const text =
			typeof json === 'string' || typeof json === 'number' ? trimInvisible(String(json)) : '';
		if (/^\d{10}(\d{3})?$/.test(text)) return Number(text.padEnd(13, '0'));
		try {
			const time = tryToParseDateTime(text, this.#source.timeZone?.());
			// n8n also parses other texts, and reads February 30 as March 2.
			if (isoDateTime.test(text) && time.toISODate() === text.slice(0, 10)) return time.toMillis();
		} catch {
			// A time such as 25:00: reported below like any other string.
		}
		throw this.invalid(field, value, 'a date and time', 'For example, enter 2026-07-01T12:00:00Z.');
	}

	/**
	 * Creates the error for a value that isn't valid.
	 *
	 * @param expected follows "must be", such as "a whole number of 1 or more"
	 * @param advice further sentences about valid values
	 */
	invalid(field: FieldLabel, value: unknown, expected: string, advice?: string): Error {
		const rawValue = trimIfText(value);
		const isEmpty = rawValue === undefined || rawValue === null || rawValue === '';
		const { displayName: label } = field;
		return isEmpty
			? this.#createError(field, errorMessages.parameterEmpty(label), [
					`Enter ${expected}.`,
					advice,
					'If you use an expression, check what it returns.',
				])
			: this.#createError(field, errorMessages.parameterInvalid(label, expected), [
					`Received ${describeValue(value)}.`,
					advice,
				]);
	}

	#toText(field: INodeProperties, value: unknown, expected: string, advice?: string): string {
		const rawValue = unwrapLocator(value);
		if (typeof rawValue !== 'string' && !Number.isSafeInteger(rawValue)) {
			throw this.invalid(field, rawValue, expected, advice);
		}
		return trimWords(String(rawValue));
	}

	#createError(
		{ default: defaultValue }: FieldLabel,
		headline: string,
		sentences: Array<string | undefined>,
	): Error {
		const { node, itemIndex, entries } = this.#source;
		const defaultHint = isBlank(defaultValue) ? '' : ` to use ${JSON.stringify(defaultValue)}`;
		const removalHint = entries && `You can also remove the option${defaultHint}.`;
		const item = itemIndex === undefined ? '' : ' for this item';
		const content = {
			message: joinWords(headline, itemIndex === undefined ? undefined : `[item ${itemIndex}]`),
			description: joinWords(...sentences, removalHint, `No request was sent${item}.`),
		};
		return toNodeOperationError(node, content, itemIndex);
	}
}

type Field = Pick<INodeProperties, 'name' | 'displayName' | 'default'>;
type FieldLabel = Pick<Field, 'displayName' | 'default'>;

const options: Field = { name: 'options', displayName: 'Options', default: {} };

interface Source {
	node: INode;
	itemIndex?: number;
	timeZone?(): string;
	/** Returns the raw value, of any type; the default if nothing was set. */
	getValue(field: Omit<Field, 'displayName'>): unknown;
	/** Of a collection: the entries that the user added. */
	entries?: IDataObject;
}

/** Returns the value of n8n's resource locator; any other value unchanged. */
function unwrapLocator(value: unknown): unknown {
	return isObject(value) && 'mode' in value && 'value' in value ? value.value : value;
}

function trimIfText(value: unknown): unknown {
	return typeof value === 'string' ? trimInvisible(value) : value;
}

function toArray(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [value];
}

function isExpression(rawParameter: unknown): boolean {
	return typeof rawParameter === 'string' && rawParameter.startsWith('=');
}

/** Returns whether a field contains nothing in the panel, not even an expression. */
function isBlank(rawParameter: unknown): boolean {
	const value = unwrapLocator(rawParameter);
	if (Array.isArray(value)) return value.every(isBlank);
	return value === null || (typeof value === 'string' && value.trim() === '');
}

function splitList(text: string): string[] {
	return text
		.split(listSeparator)
		.map(trimWords)
		.filter((entry) => entry !== '');
}

function listOptions(values: readonly string[]): string {
	return `Its options are ${values.join(', ')}.`;
}

function getOptionValues({ options = [] }: INodeProperties): string[] {
	return (options as INodePropertyOptions[]).map(({ value }) => String(value));
}

/** Describes a value for a message, without the content of arrays and objects. */
function describeValue(value: unknown): string {
	if (typeof value === 'string') {
		const invisibleCharacter = findInvisible(value);
		const invisibleNote =
			invisibleCharacter === undefined
				? ''
				: `, which contains the invisible character ${invisibleCharacter}`;
		return `the text ${quote(value)}${invisibleNote}`;
	}
	if (typeof value === 'number') return `the number ${value}`;
	if (typeof value === 'boolean') return String(value);
	if (Array.isArray(value)) return `a list of ${value.length} entries`;
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
