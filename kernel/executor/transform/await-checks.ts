/** Adds a check behind each `await` of a cell: a function of a cell that was interrupted while it waited stays where it waits. */

import type * as acorn from 'acorn';
import type MagicString from 'magic-string';
import { walk } from './syntax-walk.ts';

/** Waits for good if the cell was interrupted. Made of getters, since a debugger that steps stops at each call. */
const CHECK = '__stridelab.interrupted && await __stridelab.never';

/** A statement on a line of its own, which has no place in the cell: a debugger that steps passes over it. */
const STATEMENT = `\n${CHECK};\n`;

/** To be called before any other change of the text, so that what they add behind a node stands behind its check. */
export function addAwaitChecks(text: MagicString, program: acorn.Program): void {
  walk(program, (node, parent) => {
    if (node.type === 'AwaitExpression') {
      // The bracket has the place of the word.
      text.update(node.start, node.start + 'await'.length, '[await');
      text.prependLeft(node.end, `, ${CHECK}][0]`);
    } else if (node.type === 'ForOfStatement' && node.await) {
      const inList = parent?.type === 'Program' || parent?.type === 'BlockStatement';
      text.appendRight(node.body.start, `{${STATEMENT}`);
      // What an inner node adds at the same place comes later, and stands before.
      text.prependLeft(node.body.end, inList ? `}${STATEMENT}` : '}');
    }
  });
}
