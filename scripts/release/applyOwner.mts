// `npm run owner`: writes what owner.json says wherever it is repeated, and names what is still undecided.
import { join } from 'node:path';

import { applyOwner, problemsOf, readOwner } from './owner.mts';

const root = join(import.meta.dirname, '../..');
const owner = readOwner(root);
const problems = problemsOf(owner);
if (problems.length === 0) applyOwner(root, owner);
for (const problem of problems) console.error(`owner.json: ${problem}`);
for (const decision of owner.undecided) console.log(`Still undecided in owner.json: ${decision}`);
process.exitCode = problems.length === 0 ? 0 : 1;
