/** Decides whether the user's code catches an exception, from the `try` statements around each frame: V8 also counts the kernel's. */

import * as acorn from 'acorn';
import type { Debugger } from 'node:inspector';
import { childNodes } from '../../protocol/syntax.ts';
import { offsetAt } from '../typescript/text-positions.ts';
import type { InspectorClient } from './inspector-client.ts';
import type { Scripts } from './scripts.ts';

/** Returns whether the exception is caught; with the filter `all`, only by the library code that threw it. Ignores `promise.catch`. */
export async function isCaught(
  event: Debugger.PausedEventDataType,
  inspector: InspectorClient,
  scripts: Scripts,
  filter: 'all' | 'uncaught'
): Promise<boolean> {
  const stack = event.callFrames.map(({ location }) => location);
  const outermost = stack.findLastIndex(place => scripts.isUsers(place));
  let isUsers = false;
  for (const place of stack.slice(0, outermost + 1)) {
    isUsers ||= scripts.isUsers(place);
    if (isUsers && filter === 'all') return false;
    if (await isInTry(place, inspector)) return true;
  }
  // All frames are code of the kernel or of Node, which users cannot fix.
  return !isUsers;
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
  const inside = caught && !/Function/.test(node.type);
  const child = childNodes(node).find(({ start, end }) => offset >= start && offset < end);
  if (child === undefined) return inside;
  const guarded = node.type === 'TryStatement' && child === node.block && node.handler !== null;
  return tryAround(child, offset, inside || guarded);
}
