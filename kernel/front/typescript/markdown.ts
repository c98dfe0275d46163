/** What the TypeScript server tells about code, as text for the notebook. */

import type { Hover, MarkupContent, SignatureHelp } from './lsp-types.ts';

/** Undefined where there is nothing to show. */
export function hoverMarkdown({ contents }: Hover): string | undefined {
  const text = valueOf(contents)
    // Names of earlier cells are imports to the server, which is none of the reader's business.
    .replace(/^\(alias\) /m, '')
    .replace(/^import \S+$\n?/m, '')
    .trim();
  // A name that is not declared anywhere has the type any and nothing else.
  return text === '' || plainText(text) === 'any' ? undefined : text;
}

/** The overload that fits the arguments so far, then the others. */
export function signatureMarkdown({ signatures, activeSignature }: SignatureHelp): string | undefined {
  const active = signatures[activeSignature ?? 0];
  if (active === undefined) return undefined;
  const labels = [active, ...signatures.filter(signature => signature !== active)].map(({ label }) => label);
  const documentation = active.documentation === undefined ? '' : `\n${valueOf(active.documentation)}`;
  return `\`\`\`typescript\n${labels.join('\n')}\n\`\`\`${documentation}`;
}

export function plainText(markdown: string): string {
  return markdown.replace(/^```.*\n?/gm, '').trim();
}

function valueOf(content: MarkupContent | string): string {
  return typeof content === 'string' ? content : content.value;
}
