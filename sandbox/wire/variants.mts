/** Variants that name a status and the form of a body, such as `201-record`. */
export type FormOf<Variant extends string> = Variant extends `${number}-${infer Form}`
	? Form
	: never;

/** Splits such a variant; the form keeps its type, so that a `switch` over it has to name each one. */
export function statusAndForm<Variant extends `${number}-${string}`>(
	variant: Variant,
): { status: number; form: FormOf<Variant> } {
	const dash = variant.indexOf('-');
	return {
		status: Number(variant.slice(0, dash)),
		form: variant.slice(dash + 1) as FormOf<Variant>,
	};
}
