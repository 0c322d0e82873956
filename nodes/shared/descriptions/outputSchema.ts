/**
 * A JSON schema of `__schema__`.
 *
 * n8n's editor shows it for a node that hasn't run. n8n's tools for models that build workflows
 * read the schemas of n8n's own nodes only, so our nodes repeat it in their hints.
 */
export interface OutputSchema {
	type: string;
	enum?: string[];
	properties?: Record<string, OutputSchema>;
	required?: string[];
}

/**
 * Formats a schema in TypeScript notation: `Items: { id: string, outcome: 'accepted'|'skipped',
 * balance?: number }`.
 */
export function formatOutputSchema(schema: OutputSchema): string {
	return `Items: ${formatType(schema)}`;
}

function formatType({ type, enum: values, properties, required = [] }: OutputSchema): string {
	if (values !== undefined) return values.map((value) => `'${value}'`).join('|');
	if (properties !== undefined) {
		const fields = Object.entries(properties).map(([name, field]) => {
			const mark = required.includes(name) ? '' : '?';
			return `${name}${mark}: ${formatType(field)}`;
		});
		return `{ ${fields.join(', ')} }`;
	}
	return type === 'integer' ? 'number' : type;
}
