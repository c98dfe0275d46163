/** Finds the browser's names that a cell uses: the types of the DOM are loaded for them, since they take memory and hide mistakes. */

import type { ParseResult } from 'oxc-parser';
import { childNodes } from '../../protocol/syntax.ts';

/** Names of the DOM that Node does not have. Short ones that are likely to be a user's own, such as `name`, are left out. */
const NAME =
  /^(?:document|window|(?:local|session)Storage|(?:request|cancel)AnimationFrame|getComputedStyle|customElements|(?:HTML|SVG|CSS|XML|Canvas|Mutation|Resize|Intersection|Audio|WebGL)\w*|DOM(?!Exception)\w+|\w*(?:Mouse|Keyboard|Pointer|Touch|Input|Focus|Wheel|Drag)Event|UIEvent|(?:Element|Node|NodeList|Document|DocumentFragment|Window|ShadowRoot|Image|ImageData|ImageBitmap|FileReader|OffscreenCanvas|Path2D|Range|Selection))$/;
const MAY_USE = new RegExp(`\\b${NAME.source.slice(1, -1)}\\b`);

interface SyntaxNode {
  readonly type: string;
  readonly name?: unknown;
  readonly computed?: boolean;
  readonly property?: object;
  readonly key?: object;
  readonly value?: unknown;
}

export function domNames(program: ParseResult['program'], code: string): Set<string> {
  const found = new Set<string>();
  if (MAY_USE.test(code)) collect(program, found);
  return found;
}

function collect(node: SyntaxNode, found: Set<string>): void {
  if (node.type === 'Identifier' && typeof node.name === 'string' && NAME.test(node.name))
    found.add(node.name);
  // Names of members are not variables.
  const member = node.computed === true ? undefined : (node.property ?? node.key);
  for (const child of childNodes(node)) if (child !== member) collect(child, found);
}
