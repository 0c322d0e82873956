// Installs the dependencies if the lock file is newer than they are, and links the Node.js 24 that
// is one of them. Each script of package.json starts with this.
//
// Plain JavaScript without dependencies: it runs on a fresh machine, whose Node.js may be as old as
// 20.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, rmSync, statSync, symlinkSync } from 'node:fs';

// npm writes this file last, so an interrupted installation doesn't have it.
const receipt = 'node_modules/.package-lock.json';
const installedAt = statSync(receipt, { throwIfNoEntry: false })?.mtimeMs ?? 0;
// A worktree may share the folder of another checkout by a link. npm would empty that folder.
const isShared = lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink() === true;
if (!isShared && installedAt < statSync('package-lock.json').mtimeMs) {
	console.log('Installing the dependencies, which takes 1 to 3 minutes …');
	const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { stdio: 'inherit' });
	if (status !== 0) process.exit(1);
}

const machine = `${process.platform}-${process.arch}`;
const programs = [`../node-${machine}/bin/node`, `../node-bin-${machine}/bin/node`];
const program = programs.find((path) => existsSync(`node_modules/.bin/${path}`));
const link = 'node_modules/.bin/node';
// npm 10 leaves the link out. npm puts this folder first in a script's PATH.
if (program !== undefined && !existsSync(link)) symlinkSync(program, link);

if (program === undefined && Number.parseInt(process.versions.node) < 24) {
	// npm is silent about an optional package that it couldn't download.
	rmSync(receipt);
	console.error('npm left out Node.js 24. Run the same command again, or install Node.js 24.');
	process.exit(1);
}
