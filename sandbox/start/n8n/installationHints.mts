/** A cause of failed installations, recognized in the output of npm. */
interface Cause {
	pattern: RegExp;
	hint: string;
}

const causes: Cause[] = [
	{
		pattern: /ENOSPC|no space left on device/i,
		hint: 'The disk is full. n8n needs 2.2 GB in your cache folder. Free some space, or set XDG_CACHE_HOME to a folder on another disk, and run npm start again.',
	},
	{
		pattern: /\b(ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|ECONNREFUSED)\b/,
		hint: "npm couldn't reach its registry. Check the internet connection and npm's proxy settings, and run npm start again.",
	},
	{
		pattern: /\b(EACCES|EPERM)\b/,
		hint: "npm isn't allowed to write to a folder. Check who owns your cache folder, or set XDG_CACHE_HOME to another folder, and run npm start again.",
	},
	{
		pattern: /find any Python|find Python|python3?: (command )?not found/i,
		hint: "n8n's database module needs Python 3 to be compiled on this computer. Install it (Debian, Ubuntu: apt-get install python3; macOS: xcode-select --install), and run npm start again.",
	},
	{
		pattern: /not found: make|(make|cc|c\+\+|g\+\+|clang\+\+): (command )?not found|no xcode/i,
		hint: "n8n's database module needs a C++ compiler and make to be compiled on this computer. Install them (Debian, Ubuntu: apt-get install build-essential; macOS: xcode-select --install), and run npm start again.",
	},
];

/**
 * Returns what to do about a failed installation of n8n; empty if its cause isn't known.
 *
 * @param output of npm
 * @param folder where n8n was to be installed
 */
export function getInstallationHint(output: string, folder: string): string {
	const cause = causes.find(({ pattern }) => pattern.test(output));
	if (cause) return cause.hint;
	// make can't compile in a folder with a space in its name.
	if (!/gyp|make/.test(output) || !folder.includes(' ')) return '';
	return `The path of the cache folder (${folder}) has a space in it, so n8n's database module can't be compiled there. Set XDG_CACHE_HOME to a folder without a space, and run npm start again.`;
}
