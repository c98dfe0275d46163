/** Adds a check after each `await` of a cell: functions of a cell that was interrupted while it awaited do not continue. */

import type * as acorn from 'acorn';
import type MagicString from 'magic-string';
import { walk } from './syntax-walk.ts';

/** Waits forever if the cell was interrupted. Uses getters, since a debugger that steps stops at each call. */
const CHECK = '__stridelab.interrupted && await __stridelab.never';

/** The check as a statement on a separate line, without a place in the cell, so that a debugger steps over it. */
const STATEMENT = `\n${CHECK};\n`;

/** Adds the checks. Must run before other edits: text that they add after a node must follow its check. */
export function addAwaitChecks(text: MagicString, program: acorn.Program): void {
  walk(program, (node, parent) => {
    if (node.type === 'AwaitExpression') {
      // The bracket is mapped to the word's position.
      text.update(node.start, node.start + 'await'.length, '[await');
      text.prependLeft(node.end, `, ${CHECK}][0]`);
    } else if (node.type === 'ForOfStatement' && node.await) {
      const inList = parent?.type === 'Program' || parent?.type === 'BlockStatement';
      // Comes before all text that other edits add at the start of the body.
      text.appendLeft(node.body.start, `{${STATEMENT}`);
      // Text that inner nodes add here is added later, and comes first.
      text.prependLeft(node.body.end, inList ? `}${STATEMENT}` : '}');
    }
  });
}
