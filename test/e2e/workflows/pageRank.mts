/** openpagerank.com, which rates domains (https://www.domcop.com/openpagerank/documentation). */
import type { FastifyInstance } from 'fastify';

interface Failure {
	status: number;
	type: string;
	body: string;
}

export class PageRank {
	/** Ratings by domain. All other domains are unknown. */
	readonly ratings = new Map<string, number>();

	/** Responses to requests for these domains, instead of their ratings. */
	readonly failures = new Map<string, Failure>();

	/** The domain that is rated instead of its subdomains, if set. */
	parent: string | undefined;

	/** Domains that were looked up, oldest first. */
	readonly domains: string[] = [];

	/** Header `API-OPR` of the last request. */
	key: string | undefined;

	/** Forgets all ratings, failures and requests. */
	reset(): void {
		this.ratings.clear();
		this.failures.clear();
		this.parent = undefined;
		this.domains.length = 0;
		this.key = undefined;
	}

	/** Adds the routes of the host openpagerank.com. */
	addRoutes(routes: FastifyInstance): void {
		routes.get<{ Querystring: Record<string, string | string[]> }>(
			'/api/v1.0/getPageRank',
			(request, reply) => {
				const domains = [request.query['domains[]'] ?? []].flat();
				this.domains.push(...domains);
				this.key = request.headers['api-opr']?.toString();
				const failure = domains
					.map((domain) => this.failures.get(domain))
					.find((each) => each !== undefined);
				if (failure !== undefined) {
					return reply.code(failure.status).type(failure.type).send(failure.body);
				}
				return {
					status_code: 200,
					response: domains.map((domain) => this.#getEntry(domain)),
					last_updated: '12th Oct 2026',
				};
			},
		);
	}

	#getEntry(requested: string): object {
		const { parent } = this;
		const domain = parent !== undefined && requested.endsWith(`.${parent}`) ? parent : requested;
		const rating = this.ratings.get(domain);
		return {
			status_code: rating === undefined ? 404 : 200,
			error: rating === undefined ? 'Domain not found' : '',
			page_rank_integer: Math.round(rating ?? 0),
			page_rank_decimal: rating ?? 0,
			rank: rating === undefined ? null : '1000',
			domain,
		};
	}
}
