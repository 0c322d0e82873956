// What `npm run lint` does: all static checks. With --fix, it first fixes what tools can fix.
import { checkStatically, fixStyle, StepFailed } from './checks.mts';

try {
	if (process.argv.includes('--fix')) await fixStyle();
	await checkStatically();
} catch (error) {
	if (!(error instanceof StepFailed)) throw error;
	console.log(error.message);
	process.exitCode = 1;
}
