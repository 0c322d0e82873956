import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { installN8n } from '../playground/n8n/installation.mts';
import { startSandbox } from '../sandbox/sandbox.mts';
import { freshActionNode, runNode } from '../test/engine/engine.mts';
import { n8nCore, n8nWorkflow } from '../test/engine/n8n.mts';
if (process.send) {
	const s = await startSandbox({ limits: { perMinute: 1e9, perDay: 1e9, windowMilliseconds: 1e9 }, latencyMilliseconds: Number(process.argv[2]) });
	process.send({ baseUrl: s.baseUrl, apiKey: s.apiKey });
	process.once('disconnect', () => process.exit());
} else {
	const child = fork(import.meta.filename, [process.argv[4] ?? '50'], { execArgv: [] });
	const [credential] = (await once(child, 'message')) as any;
	const folderOfN8n = await installN8n(new AbortController().signal);
	const installed = createRequire(path.join(folderOfN8n, 'package.json'));
	const folder = path.dirname(installed.resolve('n8n-nodes-base/package.json'));
	const loader = new n8nCore.PackageDirectoryLoader(folder);
	loader.loadNodeFromFile('dist/nodes/HttpRequest/HttpRequest.node.js');
	const stock = n8nWorkflow.NodeHelpers.getVersionedNodeType(loader.getNode('httpRequest').type, 4.2);
	let n = 0;
	const items = () => Array.from({ length: 200 }, () => ({ url: `https://s${n++}.example` }));
	const req = createRequire(import.meta.url);
	const variants = (process.argv[3] ?? '5,1000').split(',');
	const runs: any = {
		http: () => runNode({ credential, type: stock, typeVersion: 4.2, items: items(), parameters: { method: 'POST', url: `${credential.baseUrl}/sites`, authentication: 'predefinedCredentialType', nodeCredentialType: 'backlinkExchangeApi', sendBody: true, specifyBody: 'json', jsonBody: '={{ { "url": $json.url, "niche": "x" } }}', options: {} } }),
		...Object.fromEntries(variants.map((v) => { const { BacklinkExchange } = req(`/tmp/q-var/${v}/dist/nodes/BacklinkExchange/BacklinkExchange.node.js`); const actionNode = new BacklinkExchange(); return [v, () => runNode({ credential, actionNode, items: items(), parameters: { resource: 'site', operation: 'create', url: '={{ $json.url }}', niche: 'x', options: {} } })]; })),
	};
	const only = process.argv[2];
	const cpu: any = {}, wall: any = {};
	for (let r = 0; r < 24; r++) for (const k of Object.keys(runs)) {
		if (only && only !== 'all' && only !== k) continue;
		const c = process.cpuUsage(); const w = performance.now();
		const res = await runs[k]();
		if (res.items.length !== 200) throw res.error;
		const d = process.cpuUsage(c);
		if (r > 3) { (cpu[k] ??= []).push((d.user + d.system) / 1000); (wall[k] ??= []).push(performance.now() - w); }
	}
	for (const k of Object.keys(cpu)) console.log(k, 'ratio of walls', wall[k].map((t: number, i: number) => t / wall.http[i]).sort((a: number, b: number) => a - b)[Math.floor(wall[k].length / 2)].toFixed(2));
	for (const k of Object.keys(cpu)) console.log(k, 'cpu ms median', cpu[k].sort((a: number, b: number) => a - b)[Math.floor(cpu[k].length / 2)].toFixed(0), 'min', cpu[k][0].toFixed(0), 'wall median', wall[k].sort((a: number, b: number) => a - b)[Math.floor(cpu[k].length / 2)].toFixed(0), 'min', wall[k][0].toFixed(0));
	child.disconnect(); process.exit();
}
