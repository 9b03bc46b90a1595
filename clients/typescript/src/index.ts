// A typed client of the OKR service. The types are generated from the OpenAPI document of the service.
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.js';

export type { components, paths } from './schema.js';

export type Problem = components['schemas']['Problem'];

export interface Options {
  /** The address of the service, such as https://okr.example.com. */
  baseUrl: string;
  /** An API key. */
  apiKey: string;
  /** How often a request is repeated after a temporary failure. The default is 4. */
  maxRetries?: number;
  /** The time for one attempt, in milliseconds. The default is 30,000. */
  timeoutMs?: number;
}

/** The problem that the service responded with. */
export class OkrError extends Error {
  constructor(
    readonly problem: Problem,
    readonly status: number,
  ) {
    super(`${problem.code}: ${problem.detail}`);
    this.name = 'OkrError';
  }
}

const maxPauseMs = 60_000;
const firstPauseMs = 500;

/**
 * A client of all operations. It repeats requests after connection failures, 429 and 503, and waits as long as
 * Retry-After says. Each POST gets an Idempotency-Key, so a repeated POST acts once.
 */
export function okrClient(options: Options): Client<paths> {
  const { baseUrl, apiKey, maxRetries = 4, timeoutMs = 30_000 } = options;
  return createClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: async (request) => {
      if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
        request.headers.set('Idempotency-Key', crypto.randomUUID());
      }
      return retried(request, maxRetries, timeoutMs);
    },
  });
}

async function retried(request: Request, maxRetries: number, timeoutMs: number): Promise<Response> {
  for (let retries = 0; ; retries += 1) {
    let pauseMs = Math.random() * firstPauseMs * 2 ** retries;
    try {
      const response = await fetch(request.clone(), { signal: AbortSignal.timeout(timeoutMs) });
      if (retries === maxRetries || !(await isTemporary(response))) {
        return response;
      }
      const seconds = Number(response.headers.get('Retry-After') ?? 0);
      pauseMs = Math.max(pauseMs, seconds * 1_000);
      await response.body?.cancel();
    } catch (failure) {
      // The service may have done the request. A repeated PUT or PATCH gives the same result, and a repeated DELETE a 404.
      if (retries === maxRetries) {
        throw failure;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, maxPauseMs)));
  }
}

async function isTemporary(response: Response): Promise<boolean> {
  if (response.status === 409) {
    const problem = (await response.clone().json()) as Problem;
    return problem.code === 'idempotency_in_flight';
  }
  return response.status === 429 || response.status === 503;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a successful response. Throws an OkrError otherwise. */
export async function body<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (data === undefined) {
    throw new OkrError(error as Problem, response.status);
  }
  return data;
}

interface Page<T> {
  data: T[];
  meta: { next_cursor?: string };
}

/**
 * All items of a list, read page by page with a cursor. Nothing is skipped or repeated while others write.
 *
 * @param read reads the page at a cursor
 */
export async function* all<T>(read: (cursor: string) => Promise<Answer<Page<T>>>): AsyncGenerator<T> {
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: Page<T> = await body(read(cursor));
    yield* page.data;
    cursor = page.meta.next_cursor;
  }
}
