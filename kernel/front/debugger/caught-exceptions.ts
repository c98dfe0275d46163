/**
 * Whether code of the user catches an exception. V8 says so too, but counts the kernel, which catches what a cell
 * throws in order to show it: so this inspects the `try` statements around each frame, up to the user's outermost one.
 */

import * as acorn from 'acorn';
import type { Debugger } from 'node:inspector';
import { offsetAt } from '../typescript/text-positions.ts';
import type { InspectorClient } from './inspector-client.ts';
import type { Scripts } from './scripts.ts';

/**
 * With the filter `all`, what library code throws and catches by itself still counts as caught. Handlers given to
 * `promise.catch` are not seen, nor a `try` around an `await` of the code that throws.
 */
export async function isCaught(
  event: Debugger.PausedEventDataType,
  inspector: InspectorClient,
  scripts: Scripts,
  filter: 'all' | 'uncaught'
): Promise<boolean> {
  const stack = event.callFrames.map(({ location }) => location);
  const outermost = stack.findLastIndex(({ scriptId }) => !isInternal(scripts, scriptId));
  let isUsers = false;
  for (const place of stack.slice(0, outermost + 1)) {
    isUsers ||= !isInternal(scripts, place.scriptId);
    if (isUsers && filter === 'all') return false;
    if (await isInTry(place, inspector)) return true;
  }
  // Only code of the kernel and of Node, which users cannot fix.
  return !isUsers;
}

function isInternal(scripts: Scripts, scriptId: string): boolean {
  return scripts.get(scriptId)?.isInternal !== false;
}

async function isInTry(
  { scriptId, lineNumber, columnNumber = 0 }: Debugger.Location,
  inspector: InspectorClient
): Promise<boolean> {
  const { scriptSource } = await inspector.post('Debugger.getScriptSource', { scriptId });
  const program = parse(scriptSource);
  if (program === undefined) return false;
  return tryAround(program, offsetAt(scriptSource, { line: lineNumber, character: columnNumber }));
}

/** Node's own modules are functions without their heads. */
function parse(code: string): acorn.Program | undefined {
  const options = {
    ecmaVersion: 'latest',
    allowAwaitOutsideFunction: true,
    allowReturnOutsideFunction: true,
    allowHashBang: true
  } as const;
  for (const sourceType of ['module', 'script'] as const) {
    try {
      return acorn.parse(code, { ...options, sourceType });
    } catch {
      // Tried as the other kind, and then taken for code without handlers.
    }
  }
  return undefined;
}

/** Descends through the nodes around the offset; a function inside a `try` is not guarded by it. */
function tryAround(node: acorn.AnyNode, offset: number, caught = false): boolean {
  let inside = caught;
  if (/Function/.test(node.type)) inside = false;
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (!isNode(child) || offset < child.start || offset >= child.end) continue;
      const guarded = node.type === 'TryStatement' && key === 'block' && node.handler !== null;
      return tryAround(child, offset, inside || guarded);
    }
  }
  return inside;
}

function isNode(value: unknown): value is acorn.AnyNode {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
