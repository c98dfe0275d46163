/** Renders values as MIME bundles: objects may provide their own, known kinds are recognised, and every value has text. */

import { types } from 'node:util';

import { DISPLAY_METHOD, notebookHost, type MimeBundle, type MimeMetadata } from './host.ts';
import { isPromiseLike, methodOf } from './duck-types.ts';
import { isInterruption } from './interruption.ts';
import { recognise } from './known-values.ts';
import { checkedBundle } from './mime-bundle.ts';
import { objectCode, plainText, reasonOf } from './plain-text.ts';

export interface Rendering {
  /** Empty for a value that chose to show nothing. */
  readonly data: MimeBundle;
  readonly metadata: MimeMetadata;
  /** Why the value's own display was not used. */
  readonly problem?: string;
  /** Set if `data` is a placeholder for a rendering that takes too long; resolves with that rendering. */
  readonly late?: Promise<Rendering>;
}

export interface RenderOptions {
  /** Terminal colours in `text/plain`. */
  readonly colors?: boolean;
  /** The time limit of an asynchronous display method, in milliseconds. */
  readonly deadline?: number;
}

const DEADLINE_MS = 5_000;

/** Renders a value; one that fails is shown as text, with the reason. Throws only if an interrupt ended the method. */
export function render(value: unknown, options: RenderOptions = {}): Rendering | Promise<Rendering> {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function')
    return asText(value, options);
  try {
    if (isRevoked(value)) return asText(value, options);
    const method = methodOf(value, DISPLAY_METHOD);
    const shown = method === undefined ? displayOf(value) : method();
    if (shown === undefined) return asObject(value, options);
    if (isPromiseLike(shown)) return awaited(shown, value, options);
    return withText(shown, value, options);
  } catch (error) {
    if (isInterruption(error)) throw error;
    return failed(value, error, options);
  }
}

/** Returns the display of a value that has no display method; undefined for most values. */
const displayOf = (value: object): unknown => notebookHost()?.renderElement?.(value) ?? recognise(value);

/** Detects a revoked Proxy, on which every operation throws. */
function isRevoked(value: object): boolean {
  if (!types.isProxy(value)) return false;
  try {
    Object.getPrototypeOf(value);
    return false;
  } catch {
    return true;
  }
}

async function awaited(
  shown: PromiseLike<unknown>,
  value: object,
  options: RenderOptions
): Promise<Rendering> {
  const rendering = Promise.resolve(shown)
    .then(result => withText(result, value, options))
    .catch((error: unknown) => failed(value, error, options));
  const deadline = options.deadline ?? DEADLINE_MS;
  const inTime = await withDeadline(rendering, deadline);
  if (inTime !== undefined) return inTime;
  const problem = `${nameOf(value)} is shown as text: its display method returned nothing within ${deadline / 1_000} s. A later result replaces the text`;
  return { ...asText(value, options), problem, late: rendering };
}

async function withDeadline<Result>(
  work: Promise<Result>,
  milliseconds: number
): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, milliseconds, undefined);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function withText(shown: unknown, value: object, options: RenderOptions): Rendering {
  const [bundle, metadata] = (Array.isArray(shown) ? shown : [shown, {}]) as [unknown, MimeMetadata?];
  const data = checkedBundle(bundle);
  if (Object.keys(data).length === 0) return { data, metadata: {} };
  // A value with its own text is not inspected, which could produce long output.
  const text = 'text/plain' in data ? {} : { 'text/plain': plainText(value, options.colors ?? true) };
  return { data: { ...text, ...data }, metadata: metadata ?? {} };
}

function asObject(value: object, options: RenderOptions): Rendering {
  if (typeof value === 'function') return asText(value, options);
  return { data: objectCode().objectBundle(value, options.colors ?? true), metadata: {} };
}

function asText(value: unknown, { colors = true }: RenderOptions): Rendering {
  return { data: { 'text/plain': plainText(value, colors) }, metadata: {} };
}

function failed(value: object, error: unknown, options: RenderOptions): Rendering {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [frame] = notebookHost()?.showStack?.(stack) ?? [];
  const place = frame === undefined ? '' : `\n    ${frame}`;
  const problem = `${nameOf(value)} is shown as text: its display method failed with ${reasonOf(error)}${place}`;
  return { ...asText(value, options), problem };
}

function nameOf(value: object): string {
  try {
    if (typeof value === 'function') return `The function ${value.name}`;
    const { constructor } = value as { constructor?: { name?: unknown } };
    return typeof constructor?.name === 'string' ? constructor.name : 'The object';
  } catch {
    return 'The object';
  }
}
