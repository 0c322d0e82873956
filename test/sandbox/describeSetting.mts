import { describe, it } from 'vitest';

import type { DialectSetting, dialectVariants } from '../../sandbox/dialects.mts';

type Checks<Setting extends DialectSetting> = Record<
	(typeof dialectVariants)[Setting][number],
	() => Promise<void>
>;

/** A test for each variant of a setting; TypeScript refuses a list that leaves one out. */
export function describeSetting<Setting extends DialectSetting>(
	setting: Setting,
	checks: Checks<Setting>,
): void {
	describe(setting, () => {
		for (const [variant, check] of Object.entries<() => Promise<void>>(checks)) it(variant, check);
	});
}
