import type { AddressInfo } from 'node:net';

import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions } from 'smtp-server';

export interface MailServer {
	port: number;
	close: () => Promise<void>;
}

const maxBytes = 1024 * 1024;

/**
 * Returns the port of the mail server of a sandbox: the next one, so that it has no option of its
 * own.
 *
 * @param port of the sandbox; 0: any free port
 */
export function getMailPort(port: number): number {
	return port === 0 ? 0 : port + 1;
}

/**
 * Starts an SMTP server on 127.0.0.1 that takes every email, without encryption and with any login
 * or none.
 *
 * @param port 0: any free port
 * @param onMail gets the source of each email
 * @param options replace those of the server
 * @throws {Error} if the port is in use
 */
export async function startMailServer(
	port: number,
	onMail: (source: Buffer) => void,
	options: SMTPServerOptions = {},
): Promise<MailServer> {
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		disableReverseLookup: true,
		authOptional: true,
		allowInsecureAuth: true,
		onAuth: ({ username }, _session, done) => {
			done(null, { user: username ?? '' });
		},
		size: maxBytes,
		closeTimeout: 1000,
		onData: (stream, _session, done) => {
			readMail(stream).then((mail) => {
				onMail(mail);
				done();
			}, done);
		},
		...options,
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', resolve);
	});
	// A connection that the client cuts.
	server.on('error', () => undefined);
	const close = () =>
		new Promise<void>((resolve) => {
			server.close(resolve);
		});
	return { port: (server.server.address() as AddressInfo).port, close };
}

/** @throws {Error} with the status 552 if the email is too large */
async function readMail(stream: SMTPServerDataStream): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) {
		// The rest has to be read before the response.
		if (!stream.sizeExceeded) chunks.push(chunk as Buffer);
	}
	if (!stream.sizeExceeded) return Buffer.concat(chunks);
	throw Object.assign(new Error('The email is larger than 1 MB.'), { responseCode: 552 });
}
