/**
 * An error response of the service.
 *
 * service-api.md, "Errors": `code` and `message` are the two strings of the error body.
 */
export class ServiceError extends Error {
	readonly code: string;
	readonly status: number;

	constructor(status: number, code: string, message: string) {
		super(message);
		this.name = 'ServiceError';
		this.status = status;
		this.code = code;
	}
}

/**
 * A setting, file or argument that the sandbox can't use.
 *
 * The message explains how to fix it.
 */
export class InvalidSettingError extends ServiceError {
	constructor(message: string) {
		super(422, 'invalid_setting', message);
	}
}
