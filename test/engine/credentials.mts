import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INodeParameters,
} from 'n8n-workflow';

type Of<Method extends keyof ICredentialsHelper> = Parameters<ICredentialsHelper[Method]>;

/**
 * The credential store of a test, limited to what nodes use: one credential of one type.
 *
 * It follows n8n's own CredentialsHelper, which is part of the server and not of n8n-core.
 */
export class TestCredentials {
	readonly #type: ICredentialType;

	/** May change while a workflow is active. */
	values: ICredentialDataDecryptedObject;

	/** Replaces `values` when n8n resolves the credential for an item. */
	valuesForItem: ((index: number, json: IDataObject) => ICredentialDataDecryptedObject) | undefined;

	constructor(type: ICredentialType, values: ICredentialDataDecryptedObject) {
		this.#type = type;
		this.values = values;
	}

	getParentTypes = () => [];

	isCredentialUsableByNode = () => true;

	preAuthentication = () => Promise.resolve(undefined);

	runPreAuthentication = () => Promise.resolve(undefined);

	getCredentialsProperties = () => this.#type.properties;

	async authenticate(...[credential, , request]: Of<'authenticate'>): Promise<IHttpRequestOptions> {
		const { authenticate } = this.#type;
		if (typeof authenticate !== 'function') throw new Error('expected a function authenticate');
		return await authenticate(credential, request as IHttpRequestOptions);
	}

	/**
	 * Returns the values, with expressions resolved for the item that n8n passes, as n8n's own helper
	 * does.
	 */
	getDecrypted(
		...[, , , mode, executeData, , item]: Of<'getDecrypted'>
	): Promise<ICredentialDataDecryptedObject> {
		const values = { ...this.values };
		if (item === undefined) return Promise.resolve(values);
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = item;
		const own = this.valuesForItem?.(itemIndex, connectionInputData[itemIndex]?.json ?? {});
		if (own !== undefined) return Promise.resolve(own);
		const resolved = workflow.expression.getParameterValue(
			values as INodeParameters,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			{},
			executeData,
		);
		return Promise.resolve(resolved as ICredentialDataDecryptedObject);
	}
}
