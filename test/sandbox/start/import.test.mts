/** What the playground imports into n8n. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { InstallationError } from '../../../sandbox/start/n8n/command.mts';
import { importIntoN8n } from '../../../sandbox/start/n8n/import.mts';
import { openDataFolder } from '../../../sandbox/start/n8n/secrets.mts';
import { temporaryFolder } from '../../untilTheTestEnds.mts';

it('overwrites no workflow when the record of what is there already is damaged, and says what to do', async () => {
	const data = temporaryFolder();
	const secrets = openDataFolder(data);
	writeFileSync(join(data, 'imported.json'), '{"credential": "1a2b", "workfl');
	const refusal = importIntoN8n({
		installation: data,
		environment: {},
		data,
		secrets,
		baseUrl: 'http://127.0.0.1:9/api',
		webhookSecret: secrets.webhookSecret,
		acceptOffers: false,
		signal: AbortSignal.abort(),
	});
	await expect(refusal).rejects.toThrow(InstallationError);
	await expect(refusal).rejects.toThrow(/imported\.json is damaged.*delete the whole folder/);
});
