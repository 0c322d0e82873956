export const truncatedHint =
	'The service says that there are more results than it returned, in a way that this node cannot follow. The list may be incomplete.';
