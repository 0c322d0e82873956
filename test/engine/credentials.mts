import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IDataObject,
	IExecuteData,
	IHttpRequestOptions,
	INode,
	INodeParameters,
	INodeProperties,
	IRequestOptionsSimplified,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { n8nWorkflow } from './n8n.mts';

/**
 * The credential store of a test: one credential of one type, always the same values. How a generic `authenticate` is
 * applied follows n8n's own CredentialsHelper, which lives in the server and not in n8n-core.
 */
export class TestCredentials extends n8nWorkflow.ICredentialsHelper {
	readonly #type: ICredentialType;

	/** May be changed while a workflow is active. */
	values: ICredentialDataDecryptedObject;

	/** How often n8n was asked for it. */
	reads = 0;

	constructor(type: ICredentialType, values: ICredentialDataDecryptedObject) {
		super();
		this.#type = type;
		this.values = values;
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		request: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow: Workflow,
		node: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.#type;
		if (typeof authenticate !== 'object') throw new Error('expected a generic authenticate');
		const headers: Array<[string, unknown]> = Object.entries(
			authenticate.properties.headers ?? {},
		).map(([name, value]) => [
			name,
			workflow.expression.getSimpleParameterValue(node, value as string, 'internal', {
				$credentials: credentials,
			}),
		]);
		return Promise.resolve({
			...(request as IHttpRequestOptions),
			headers: { ...request.headers, ...Object.fromEntries(headers) } as IDataObject,
		});
	}

	preAuthentication(): Promise<undefined> {
		return Promise.resolve(undefined);
	}

	runPreAuthentication(): Promise<undefined> {
		return Promise.resolve(undefined);
	}

	getCredentials(): Promise<ICredentials> {
		throw new Error('not used by nodes');
	}

	/** Fields that are expressions are resolved for the item that n8n names, as n8n's own helper does. */
	getDecrypted(
		_additionalData: unknown,
		_node: unknown,
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		item?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.reads++;
		const values = { ...this.values };
		if (item === undefined) return Promise.resolve(values);
		const resolved = item.workflow.expression.getParameterValue(
			values as INodeParameters,
			item.runExecutionData,
			item.runIndex,
			item.itemIndex,
			item.node.name,
			item.connectionInputData,
			mode,
			{},
			executeData,
		);
		return Promise.resolve(resolved as ICredentialDataDecryptedObject);
	}

	updateCredentials(): Promise<void> {
		throw new Error('not used by nodes');
	}

	updateCredentialsOauthTokenData(): Promise<void> {
		throw new Error('not used by nodes');
	}

	getCredentialsProperties(): INodeProperties[] {
		return this.#type.properties;
	}
}
