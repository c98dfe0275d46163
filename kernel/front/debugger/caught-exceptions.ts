/**
 * Decides whether the user's code catches an exception. V8 reports this too, but counts the kernel, which catches what
 * cells throw: so this inspects the `try` statements around each frame, up to the user's outermost one.
 */

import * as acorn from 'acorn';
import type { Debugger } from 'node:inspector';
import { offsetAt } from '../typescript/text-positions.ts';
import type { InspectorClient } from './inspector-client.ts';
import type { Scripts } from './scripts.ts';

/**
 * Returns whether it is caught. With the filter `all`, exceptions that library code throws and catches itself count as
 * caught. Handlers of `promise.catch` are not seen, nor a `try` around an `await` of the throwing code.
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
  // All frames are code of the kernel or of Node, which users cannot fix.
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

/** Parses a script or module. Node wraps the source of its own modules in functions. */
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
      // Try the other source type; if neither parses, assume that there are no handlers.
    }
  }
  return undefined;
}

/** Searches the nodes around the offset; a `try` does not guard the bodies of functions inside it. */
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
