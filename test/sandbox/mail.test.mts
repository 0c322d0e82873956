/** The mail server of the sandbox, and what it understands of an email. */
import { once } from 'node:events';
import { connect } from 'node:net';

import { describe, expect, test } from 'vitest';

import { parseMail } from '../../sandbox/mail/parseMail.mts';
import { askUrl, openSandbox } from './harness.mts';

/** Joins the lines of an email. */
const lines = (...all: string[]) => all.join('\r\n');
const parse = (...all: string[]) => parseMail(Buffer.from(lines(...all)));

/**
 * Sends an email with SMTP.
 *
 * @returns the status of the last response
 */
async function send(port: number, source: string): Promise<number> {
	const socket = connect(port, '127.0.0.1').setEncoding('utf8');
	const [greeting] = (await once(socket, 'data')) as [string];
	let response = greeting;
	for (const command of [
		'HELO localhost',
		'MAIL FROM:<n8n@example.com>',
		'RCPT TO:<you@example.com>',
		'DATA',
		`${source}\r\n.`,
	]) {
		if (!/^[23]/.test(response)) break;
		socket.write(`${command}\r\n`);
		[response] = (await once(socket, 'data')) as [string];
	}
	socket.destroy();
	return Number(response.slice(0, 3));
}

const plain = lines(
	'From: n8n@example.com',
	'To: you@example.com',
	'Subject: New offer',
	'',
	'A partner offers a link.',
);

describe('the mail server', () => {
	test('stores an email, and reports it without its text', async () => {
		const sandbox = await openSandbox({ mailPort: 0 });
		expect(await send(sandbox.mailPort ?? 0, plain)).toBe(250);
		expect(sandbox.books.mails()).toMatchObject([
			{
				sender: 'n8n@example.com',
				recipients: 'you@example.com',
				subject: 'New offer',
				text: 'A partner offers a link.\n',
				html: undefined,
			},
		]);
		expect(sandbox.activities.at(-1)?.text).toBe('Email to you@example.com: New offer');
	});

	test('rejects an email of more than 1 MB', async () => {
		const sandbox = await openSandbox({ mailPort: 0 });
		const line = `${'x'.repeat(98)}\r\n`;
		expect(await send(sandbox.mailPort ?? 0, plain + line.repeat(11_000))).toBe(552);
		expect(sandbox.books.mails()).toEqual([]);
	});

	test('keeps the last 200 emails', async () => {
		const sandbox = await openSandbox();
		for (let number = 1; number <= 205; number++) {
			sandbox.receiveMail(Buffer.from(`Subject: ${number}\r\n\r\n`));
		}
		const subjects = sandbox.books.mails().map(({ subject }) => Number(subject));
		expect([subjects.length, subjects[0], subjects.at(-1)]).toEqual([200, 205, 6]);
	});
});

describe('the HTML of an email', () => {
	const html = lines('Content-Type: text/html', '', '<script>alert(1)</script><a href="/x">x</a>');

	test('is served for a frame without scripts, forms and remote content', async () => {
		const sandbox = await openSandbox();
		sandbox.receiveMail(Buffer.from(html));
		const { headers, text } = await askUrl('GET', `${sandbox.origin}/dashboard/mail/1`);
		const policy = String(headers['content-security-policy']);
		expect(policy).toMatch(/^sandbox [^;]*; default-src 'none';/);
		expect(policy).not.toMatch(/allow-(scripts|forms|same-origin|top-navigation)|script-src|http/);
		expect(text).toMatch(/<base target="_blank">/);
	});

	test.each(['/dashboard/mail/2', '/dashboard/mail/x'])("doesn't exist at %s", async (path) => {
		const sandbox = await openSandbox();
		sandbox.receiveMail(Buffer.from(html));
		expect((await askUrl('GET', `${sandbox.origin}${path}`)).status).toBe(404);
	});

	test("isn't served to pages of other sites", async () => {
		const sandbox = await openSandbox();
		sandbox.receiveMail(Buffer.from(html));
		const headers = { 'sec-fetch-site': 'cross-site' };
		const answer = await askUrl('GET', `${sandbox.origin}/dashboard/mail/1`, { headers });
		expect(answer.status).toBe(403);
	});
});

describe('an email is parsed', () => {
	test('with a text and HTML in several encodings, and without its attachments', () => {
		const mail = parse(
			'Content-Type: multipart/mixed; boundary="Part_1"',
			'',
			'--Part_1',
			'Content-Type: multipart/alternative;',
			' boundary="Part_10"',
			'',
			'--Part_10',
			'Content-Type: text/plain; charset=utf-8',
			'Content-Transfer-Encoding: quoted-printable',
			'',
			'a.example =E2=86=92 =',
			'b.example',
			'--Part_10',
			'Content-Type: text/html; charset="utf-8"',
			'Content-Transfer-Encoding: base64',
			'',
			Buffer.from('<p>→</p>').toString('base64'),
			'--Part_10--',
			'--Part_1',
			'Content-Type: text/plain',
			'Content-Disposition: attachment; filename=report.txt',
			'',
			'attached',
			'--Part_1--',
		);
		expect(mail).toMatchObject({ text: 'a.example → b.example', html: '<p>→</p>' });
	});

	test('with encoded words in its headers', () => {
		const mail = parse(
			'From: =?iso-8859-1?Q?Andr=E9_M?= <a@example.com>',
			'Subject: =?UTF-8?B?4oaSIA==?=',
			' =?utf-8?Q?caf=C3=A9_=E2=80=9Ctea?= → and',
			'\tmore',
			'',
			'',
		);
		expect(mail).toMatchObject({
			from: 'André M <a@example.com>',
			subject: '→ café “tea → and more',
		});
	});
});
