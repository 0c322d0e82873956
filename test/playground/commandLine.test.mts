import { describe, expect, it } from 'vitest';

import { parseCommandLine } from '../../playground/commandLine.mts';

const parse = (...args: string[]) => parseCommandLine(args, '/home/user/project');

describe('the command line of npm start', () => {
	it('uses the usual ports and the default folder', () => {
		expect(parse()).toEqual({
			help: false,
			check: false,
			data: undefined,
			n8nPort: 5678,
			sandboxPort: 4100,
			acceptOffers: false,
		});
	});

	it('counts a relative data folder from where the user is', () => {
		expect(parse('--data', '../other').data).toBe('/home/user/other');
	});

	it.each(['0', '65536', '80x', '', '-1', '1e3'])('refuses port %j', (port) => {
		expect(() => parse(`--n8n-port=${port}`)).toThrow('--n8n-port has to be a port number');
	});

	it('refuses one port for both, also when one of them is the default', () => {
		expect(() => parse('--sandbox-port', '5678')).toThrow('cannot both have port 5678');
	});

	it('answers an unknown flag with the help', () => {
		expect(() => parse('--port', '1')).toThrow(/'--port'[^]*Usage: npm start/);
	});

	it('does not let a check touch a data folder of the user', () => {
		expect(() => parse('--check', '--data', 'mine')).toThrow('temporary folder');
	});
});
