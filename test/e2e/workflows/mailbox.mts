/** A real SMTP server on loopback that keeps received emails. */
import { startMailServer } from '../../../sandbox/mail/mailServer.mts';
import { parseMail } from '../../../sandbox/mail/parseMail.mts';

export interface Mailbox {
	/** Raw messages, oldest first. */
	mails: string[];
	/** Whether the server rejects every message, like a full mail server. */
	isRejecting: boolean;
	/** Data of n8n's SMTP credential. */
	credential: Record<string, unknown>;
	close(): Promise<void>;
}

export async function startMailbox(): Promise<Mailbox> {
	const user = 'reports';
	const password = 'a password for this test';
	const onMail = (mail: Buffer) => mailbox.mails.push(mail.toString());
	const { port, close } = await startMailServer(0, onMail, {
		authOptional: false,
		onAuth: (auth, _session, done) => {
			if (auth.username === user && auth.password === password) done(null, { user });
			else done(new Error('The user name or the password is wrong.'));
		},
		onMailFrom: (_address, _session, done) => {
			if (!mailbox.isRejecting) done();
			else done(Object.assign(new Error('Try again later.'), { responseCode: 451 }));
		},
	});
	const mailbox: Mailbox = {
		mails: [],
		isRejecting: false,
		credential: { user, password, host: '127.0.0.1', port, secure: false, disableStartTls: true },
		close,
	};
	return mailbox;
}

/** Returns the text of an email with one part. */
export function getBody(mail = ''): string {
	const { text, html } = parseMail(Buffer.from(mail));
	return text ?? html ?? '';
}

/** Returns the subject of an email. */
export function getSubject(mail = ''): string {
	return parseMail(Buffer.from(mail)).subject;
}
