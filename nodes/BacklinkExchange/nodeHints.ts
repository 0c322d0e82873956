import type { NodeHint } from 'n8n-workflow';

const isAccepting =
	'$parameter["resource"] === "exchange" && ["accept", "acceptMany"].includes($parameter["operation"])';

/** n8n 2.41 adds this parameter to a node that an AI agent uses as a tool. */
const isTool = '$parameter["descriptionType"] !== undefined';

/**
 * Hints in the output pane before the execution. They are fixed sentences: n8n 2.41 evaluates only
 * the condition of a hint.
 */
export const nodeHints: NodeHint[] = [
	{
		message: "Dry run: this node spends no credits. To accept offers, turn off 'Dry Run'.",
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${isAccepting} && $parameter["dryRun"] }}`,
	},
	{
		message:
			"This node accepts offers and spends credits, up to your limits. To try it first, turn on 'Dry Run'.",
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${isAccepting} && !$parameter["dryRun"] && !(${isTool}) }}`,
	},
	{
		message:
			"This tool accepts offers and spends credits, up to your limits. If there's no human review step between the AI agent and this tool, add one, so that someone approves each call first.",
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${isAccepting} && !$parameter["dryRun"] && ${isTool} }}`,
	},
];
