/** An error that the service answers with. `code` and `message` are the two strings of the documented error body. */
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

/** A setting, file or argument that the sandbox cannot work with. The message says how to fix it. */
export class InvalidSettingError extends ServiceError {
	constructor(message: string) {
		super(422, 'invalid_setting', message);
	}
}
