/** What Stryker's instrumenter tells of a change, as far as it is used. */
export interface Mutant {
	id: string;
	fileName: string;
	/** Lines and columns from 0. */
	location: { start: { line: number; column: number } };
	mutatorName: string;
	replacement: string;
	/** `Ignored` when it is left out. */
	status?: string | undefined;
}

/** What is known so far. It is saved before each run of a test with a change, which may end the process. */
export interface Verdicts {
	/** The changes that are tried. */
	ids: string[];
	/** The test that noticed a change, by the id of the change. */
	noticed: Record<string, string>;
	/** Those that at least one test was run with. */
	tried: string[];
	/** Those that take effect while a file is loaded: fields of the editor and constants. They cannot be switched on afterwards. */
	ofLoading: string[];
	/** Tests that do not pass without a change, or not twice. */
	doubtful: string[];
	/** Tests that take longer are put off, in milliseconds. */
	longest?: number | undefined;
	/** Files whose tests are over. */
	files: string[];
	/** The names of tests that are over, by their id. */
	tests: Record<string, string>;
	/** The test that runs. */
	current?: CurrentTest | undefined;
	/** How many processes ended in the middle of a test. */
	endings: number;
}

/** A test that runs, possibly for the second time because its process has ended. */
export interface CurrentTest {
	id: string;
	name: string;
	/** Changes with which it has passed. */
	passed: string[];
	/** The change that is switched on. */
	change?: string | undefined;
	/** The change with which it failed, but not right after a run without one: to be tried first in another process. */
	suspect?: string | undefined;
	/** Whether no change has been switched on in its process. */
	isFresh: boolean;
}

/** What the changed code reads and writes, under this name in the global object. */
export interface Switches {
	activeMutant?: string | undefined;
	currentTestId?: string | undefined;
	hitCount?: number | undefined;
	/** Beyond it, the changed code throws: an endless loop ends. */
	hitLimit?: number | undefined;
	mutantCoverage?: {
		static: Record<string, number>;
		perTest: Record<string, Record<string, number>>;
	};
}
