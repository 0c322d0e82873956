// What `npm run owner` does: writes what owner.json says into every place that repeats it.
import { applyOwner, contradictions, placeholders, readOwner } from './owner.mts';

const owner = readOwner();
applyOwner(owner);
for (const line of contradictions(owner)) console.error(line);
for (const line of placeholders(owner)) console.log(`Still a placeholder: ${line}`);
process.exitCode = contradictions(owner).length === 0 ? 0 : 1;
