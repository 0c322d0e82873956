/**
 * Tests a credential as n8n's CredentialsTester does, which is part of the server and not of
 * n8n-core: with a node that has nothing but the request of the test. In a real n8n:
 * test/e2e/credentialTest.test.mts.
 */
import { createRequire } from 'node:module';

import type {
	IAuthenticateRuleResponseCode,
	IAuthenticateRuleResponseSuccessBody,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	INodeCredentialTestResult,
	INodeType,
} from 'n8n-workflow';

import { TestCredentials } from './credentials.mts';
import { additionalDataFor, credentialType, newNode } from './engine.mts';
import { n8nCore, n8nWorkflow } from './n8n.mts';

type Rule = IAuthenticateRuleResponseCode | IAuthenticateRuleResponseSuccessBody;

/** The fields that n8n reads of a failed request. */
interface RequestError extends Error {
	cause?: { code?: string; response?: { status: number; statusText: string } };
}

// n8n reads keys of a response with it.
const requireOfN8n = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
const get = requireOfN8n('lodash/get') as (value: unknown, key: string) => unknown;

const { NodeConnectionTypes, Workflow } = n8nWorkflow;
const type = 'test.temp';

export async function testCredential(
	data: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	const { request, rules = [] } = credentialType.test as ICredentialTestRequest;
	try {
		const [response] = await sendRequest(request, data);
		const rule = (rules as Rule[]).find(
			(each) =>
				each.type === 'responseSuccessBody' &&
				// As in n8n, it throws if the response is an empty list.
				get((response as { json: unknown }).json, each.properties.key) === each.properties.value,
		);
		if (rule !== undefined) return { status: 'Error', message: rule.properties.message };
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: getMessage(error as RequestError, rules) };
	}
}

async function sendRequest(
	request: ICredentialTestRequest['request'],
	data: ICredentialDataDecryptedObject,
) {
	const routed = { displayName: 'Temp', name: 'temp', type: 'string', default: '' } as const;
	const nodeType: INodeType = {
		description: {
			displayName: 'Temp',
			name: type,
			group: ['input'],
			version: 1,
			description: '',
			defaults: {},
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: credentialType.name, required: true }],
			properties: [{ ...routed, routing: { request } }],
		},
	};
	const node = newNode('Temp-Node', type, {});
	const find = () => nodeType;
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
	});
	const context = new n8nCore.ExecuteContext(
		workflow,
		node,
		additionalDataFor(new TestCredentials(credentialType, data)),
		'internal',
		{ resultData: { runData: {} } } as never,
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
	);
	const credential = { id: '1', name: 'Test', type: credentialType.name, data };
	// n8n before 2.20 has no isolates.
	const expression = workflow.expression as Partial<typeof workflow.expression>;
	await expression.acquireIsolate?.();
	try {
		const output = await new n8nCore.RoutingNode(context, nodeType, credential).runNode();
		return output?.[0] ?? [];
	} finally {
		await expression.releaseIsolate?.();
	}
}

function getMessage(error: RequestError, rules: Rule[]): string {
	const { code, response } = error.cause ?? {};
	if (response === undefined) return code ?? error.message;
	const { status, statusText } = response;
	const rule = rules.find(
		(each) => each.type === 'responseCode' && each.properties.value === status,
	);
	return rule?.properties.message ?? (statusText || `Received HTTP status code: ${status}`);
}
