/** Words that no user should read: they tell of a crash of this package, or of a missing value. */
export const crash =
	/[Cc]annot (read|convert)|is not a function|is not iterable|undefined|\[object|TypeError|RangeError|call stack|[Uu]nexpected token|\bNaN\b/;
