/** A real SMTP server on loopback that keeps received emails. */
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { SMTPServer } from 'smtp-server';

export interface Mailbox {
	/** Raw messages, oldest first. */
	mails: string[];
	/** Whether the server rejects every message, like a full mail server. */
	isRejecting: boolean;
	/** Accepted messages per twenty seconds, like the limit of servers against spam. */
	maxPerTwentySeconds: number;
	/** Data of n8n's SMTP credential. */
	credential: Record<string, unknown>;
	close(): Promise<void>;
}

export async function startMailbox(): Promise<Mailbox> {
	const user = 'reports';
	const password = 'a password for this test';
	/** When messages were accepted. */
	const taken: number[] = [];
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		allowInsecureAuth: true,
		onAuth: (auth, _session, done) => {
			if (auth.username === user && auth.password === password) done(null, { user });
			else done(new Error('The user name or the password is wrong.'));
		},
		onMailFrom: (_address, _session, done) => {
			const now = performance.now();
			const recent = taken.filter((at) => now - at < 20_000).length;
			if (mailbox.isRejecting || recent >= mailbox.maxPerTwentySeconds) {
				done(Object.assign(new Error('Try again later.'), { responseCode: 451 }));
				return;
			}
			taken.push(now);
			done();
		},
		onData: (stream, _session, done) => {
			void text(stream).then((mail) => {
				mailbox.mails.push(mail);
				done();
			});
		},
	});
	await new Promise<void>((resolve) => {
		server.listen(0, '127.0.0.1', resolve);
	});
	const { port } = server.server.address() as AddressInfo;
	const mailbox: Mailbox = {
		mails: [],
		isRejecting: false,
		maxPerTwentySeconds: Infinity,
		credential: { user, password, host: '127.0.0.1', port, secure: false, disableStartTls: true },
		close: () =>
			new Promise((resolve) => {
				server.close(resolve);
			}),
	};
	return mailbox;
}

/** Returns the decoded text of an email with one part. */
export function getBody(mail = ''): string {
	const end = mail.indexOf('\r\n\r\n');
	const body = mail.slice(end + 4).replaceAll('\r\n', '\n');
	if (!/^content-transfer-encoding: quoted-printable/im.test(mail.slice(0, end))) return body;
	const bytes = body
		.replace(/=\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Returns the decoded subject of an email. */
export function getSubject(mail = ''): string {
	const [, folded = ''] = /^subject: (.*(?:\r\n[ \t].*)*)/im.exec(mail) ?? [];
	return folded
		.replace(/\r\n[ \t]/g, ' ')
		.replace(/\?= =\?/g, '?==?')
		.replace(/=\?utf-8\?q\?(.*?)\?=/gi, (_all, words: string) =>
			decodeURIComponent(words.replace(/_/g, ' ').replace(/%/g, '%25').replace(/=/g, '%')),
		)
		.replace(/=\?utf-8\?b\?(.*?)\?=/gi, (_all, words: string) =>
			Buffer.from(words, 'base64').toString('utf8'),
		);
}
