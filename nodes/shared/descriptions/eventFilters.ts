import type { INodeProperties } from 'n8n-workflow';

import type { EventData } from '../events/event.types';
import type { ParameterReader } from '../parameters/parameterReader';
import { foldWords } from '../utils/text';
import { filtersField } from './collections';

/** The possible severities aren't documented (service-api.md, "Watchdog event"). */
const severitiesField: INodeProperties = {
	displayName: 'Severities',
	name: 'severities',
	type: 'string',
	default: '',
	placeholder: 'e.g. critical, high',
	description:
		"Alerts with other severities don't start the workflow. Alerts without a severity and all other events still start it. Separate severities with commas.",
};

const excludedSeveritiesField: INodeProperties = {
	displayName: 'Excluded Severities',
	name: 'excludedSeverities',
	type: 'string',
	default: '',
	placeholder: 'e.g. info, low',
	description:
		"Alerts with these severities don't start the workflow, even if they are in 'Severities' too. Separate them with commas.",
};

/** Builds the filters of a trigger: those of both triggers, and further ones. */
export function eventFiltersField(...others: INodeProperties[]): INodeProperties {
	return filtersField('Which of the selected events start the workflow', [
		excludedSeveritiesField,
		severitiesField,
		...others,
	]);
}

export interface SeverityFilter {
	/** The severities that pass; empty: all. */
	severities: string[];
	excludedSeverities: string[];
}

/**
 * Reads the severities of a trigger's filters.
 *
 * @throws {NodeOperationError} for a filter that isn't valid
 */
export function getSeverityFilter(filters: ParameterReader): SeverityFilter {
	return {
		severities: filters.words(severitiesField).map(normalizeSeverity),
		excludedSeverities: filters.words(excludedSeveritiesField).map(normalizeSeverity),
	};
}

/**
 * Returns whether an event passes the severities. Alerts whose severity can't be compared pass,
 * because nobody would notice a lost one.
 */
export function passesSeverities(
	{ alert }: Pick<EventData, 'alert'>,
	{ severities, excludedSeverities }: SeverityFilter,
): boolean {
	if (alert?.comparableSeverity === undefined) return true;
	const severity = normalizeSeverity(alert.comparableSeverity);
	if (excludedSeverities.includes(severity)) return false;
	// The service doesn't document whether severities are words or numbers, which can't be compared
	// with each other.
	const isComparable = severities.some((entry) => isNumber(entry) === isNumber(severity));
	return !isComparable || severities.includes(severity);
}

function normalizeSeverity(text: string): string {
	return foldWords(text).trim();
}

function isNumber(text: string): boolean {
	return /^-?\d+(\.\d+)?$/.test(text);
}
