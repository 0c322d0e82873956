/** Whether only programs on the same machine reach this address (RFC 6761 for "localhost", RFC 1122 for 127.0.0.0/8). */
export function isLoopback(url: string): boolean {
	const { hostname } = new URL(url);
	return /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);
}
