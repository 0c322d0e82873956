import type { IDataObject } from 'n8n-workflow';

import { hash, isId, isNonBlankScalar, toComparable } from '../utils/ids';
import { firstTimestamp } from '../utils/time';

/**
 * Fields that may show when an alert was raised; none is documented (service-api.md, "Watchdog
 * event").
 */
const alertTimes = ['created_at', 'detected_at', 'occurred_at'];

/**
 * An alert of the watchdog, from a list or a delivery. The types of its fields aren't documented
 * (service-api.md, "Watchdog event"): objects and lists become JSON.
 */
export interface Alert {
	/** `undefined` if the record has none of its own. */
	id: string | undefined;
	exchangeId: string | undefined;
	severity: string | undefined;
	/** The severity, unless it's an object or a list, which no filter can name. */
	comparableSeverity: string | undefined;
	type: string | undefined;
	detail: string | undefined;
	/** Epoch seconds. */
	raisedAt: number | undefined;
	/** Hash of severity, type and detail. */
	contentHash: string;
	/** As received. */
	record: IDataObject;
}

export function parseAlert(record: IDataObject): Alert {
	const { id, exchange_id: exchangeId, severity, type, detail } = record;
	// `id` may be the ID of the exchange instead.
	const hasId = isId(id) && String(id) !== toComparable(exchangeId);
	return {
		id: hasId ? String(id) : undefined,
		exchangeId: isId(exchangeId) ? String(exchangeId) : undefined,
		severity: toText(severity),
		comparableSeverity: isId(severity) ? String(severity) : undefined,
		type: toText(type),
		detail: toText(detail),
		raisedAt: firstTimestamp(record, alertTimes),
		contentHash: hash([severity, type, detail].map(toComparable)),
		record,
	};
}

function toText(value: unknown): string | undefined {
	if (isNonBlankScalar(value) || typeof value === 'boolean') return String(value);
	const isEmpty = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
	return isEmpty ? undefined : JSON.stringify(value);
}
