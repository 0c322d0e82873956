/** A process of the campaign: examines the part that it is given, and asks for the next one. */
import { examine } from './examine.mts';

/** Histories that break the same rule are shrunk twice, then only counted. */
const shrunk = new Map<string, number>();

export interface Part {
	seed: number;
	count: number;
	/** Whether histories that break a rule are shrunk. */
	shrinks: boolean;
}

process.on('message', ({ seed, count, shrinks }: Part) => {
	const mayShrink = (rule: string) => {
		const times = (shrunk.get(rule) ?? 0) + 1;
		shrunk.set(rule, times);
		return shrinks && times <= 2;
	};
	void examine(seed, count, mayShrink).then((examined) => process.send?.(examined));
});
// Without the campaign there is nobody to report to.
process.once('disconnect', () => process.exit());
process.send?.('ready');
