/** The page with the emails that were sent to the mail server. */
import type { Service } from '../service/service.mts';
import type { Mail } from '../store/records.mts';
import { copyable, type Markup, markup, time } from './markup.mts';
import type { PageContext } from './pageContext.mts';

/** Scripts don't run, and links open in a tab that isn't restricted. */
const frameRestrictions = 'allow-popups allow-popups-to-escape-sandbox';

/** For the HTML of an email: no scripts, no forms, and nothing from other servers. */
export const mailHeaders = {
	'content-security-policy': `sandbox ${frameRestrictions}; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`,
};

export function mail({ books }: Service, { receiver, mailPort }: PageContext): Markup {
	const mails = books.mails();
	return markup`
		<p>Emails that a workflow sends to the mail server of the sandbox appear here. They aren't sent to anyone.</p>
		${describeServer(receiver !== undefined, mailPort)}
		<div data-live id="mails">${mails.length === 0 ? markup`<p class="quiet">No emails yet.</p>` : mails.map(showMail)}</div>`;
}

/** Returns a document with the HTML of an email. */
export function getMailDocument(html: string): string {
	return `<!doctype html><meta charset="utf-8"><base target="_blank">${html}`;
}

function describeServer(hasCredential: boolean, port: number | undefined): Markup {
	if (port === undefined) return markup`<p class="bad">This sandbox has no mail server.</p>`;
	return hasCredential
		? markup`<p class="quiet">n8n has a credential for this mail server already. Its name is “Mail server (sandbox)”.</p>`
		: markup`
			<p>Host: ${copyable('mail-host', '127.0.0.1')} Port: ${copyable('mail-port', String(port))}</p>
			<p class="quiet">Create an SMTP credential with this host and port in n8n. Turn off SSL/TLS, and leave User and Password empty.</p>`;
}

function showMail({ id, receivedAt, sender, recipients, subject, text, html }: Mail): Markup {
	return markup`<details class="mail" id="mail-${id}">
		<summary>${time(receivedAt)} <b>${subject === '' ? '(no subject)' : subject}</b></summary>
		<p class="quiet">From ${sender} to ${recipients}</p>
		${html !== undefined && markup`<iframe sandbox="${frameRestrictions}" loading="lazy" title="HTML of the email" src="/dashboard/mail/${id}"></iframe>`}
		${text !== undefined && markup`<pre>${text.trim()}</pre>`}
	</details>`;
}
