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

/** What is known so far; `runner.mts` writes it after each test file. */
export interface Verdicts {
	/** The changes that are tried. */
	ids: string[];
	/** The test that noticed a change, by the id of the change. */
	noticed: Record<string, string>;
	/** Those that at least one test was run with. */
	tried: string[];
	/** Those that take effect while a file is loaded: fields of the editor and constants. They cannot be switched on afterwards. */
	ofLoading: string[];
	/** Tests that failed after all changes were switched off again. */
	doubtful: string[];
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
