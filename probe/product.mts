/**
 * How the package itself reads the service's answers: the probe's verdicts come from the code that ships, so that "supported" cannot
 * mean anything else than that. Needs the built package (dist/).
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const built = '../dist/nodes';

export const content = require(
	`${built}/shared/reading/content.js`,
) as typeof import('../nodes/shared/reading/content.ts');
export const rateLimit = require(
	`${built}/shared/service/rateLimit.js`,
) as typeof import('../nodes/shared/service/rateLimit.ts');
export const body = require(
	`${built}/shared/service/body.js`,
) as typeof import('../nodes/shared/service/body.ts');
export const links = require(
	`${built}/shared/service/links.js`,
) as typeof import('../nodes/shared/service/links.ts');
export const signsOfMore = require(
	`${built}/shared/reading/signsOfMore.js`,
) as typeof import('../nodes/shared/reading/signsOfMore.ts');
export const time = require(`${built}/shared/time.js`) as typeof import('../nodes/shared/time.ts');
export const payload = require(
	`${built}/BacklinkExchangeWebhookTrigger/payload.js`,
) as typeof import('../nodes/BacklinkExchangeWebhookTrigger/payload.ts');
export const signature = require(
	`${built}/BacklinkExchangeWebhookTrigger/signature.js`,
) as typeof import('../nodes/BacklinkExchangeWebhookTrigger/signature.ts');
