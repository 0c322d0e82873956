export const truncatedHint =
	"The service has more entries than it returned, and the node can't fetch the others. The list may be incomplete.";
