/** Converts the TypeScript server's descriptions of code to text for the notebook. */

import { styled } from '../../protocol/code-frame.ts';
import type { Hover, SignatureHelp } from './lsp-types.ts';

export interface Described {
  readonly markdown: string;
  /** With colours for terminals. */
  readonly plain: string;
}

const FENCE = '```';

/** Describes a hover; returns undefined if there is nothing to show. */
export function describeHover({ contents }: Hover): Described | undefined {
  const markdown = withoutLinksToFiles(contents.value)
    // The server sees names of earlier cells as imports, an implementation detail.
    .replace(/^\(alias\) /gm, '')
    .replace(/^import \S+$\n?/gm, '')
    .replace(/typeof import\("[^"]*__stridelab_cell_\d+"\)\.(\w+)/g, '$1')
    .trim();
  // An undeclared name has only the type any.
  return markdown === '' || plainText(markdown) === 'any' ? undefined : both(markdown);
}

/** Describes a call: the overload that matches the arguments so far, with the current parameter, then the others. */
export function describeSignatures({
  signatures,
  activeSignature,
  activeParameter
}: SignatureHelp): Described | undefined {
  const active = signatures[activeSignature ?? 0];
  if (active === undefined) return undefined;
  const others = signatures.filter(signature => signature !== active).map(({ label }) => label);
  const parameter = active.parameters?.[active.activeParameter ?? activeParameter ?? 0];
  const { label } = active;
  const bold = parameter?.label ?? '';
  const start = Math.max(0, label.indexOf(bold, label.indexOf('(')));
  const [before, after] = [label.slice(0, start), label.slice(start + bold.length)];
  const about = [parameter?.documentation, active.documentation]
    .filter(text => text !== undefined)
    .map(text => withoutLinksToFiles(text.value).trim())
    .filter(text => text !== '');
  const count = others.length === 0 ? [] : [`${others.length} more overload${others.length > 1 ? 's' : ''}:`];
  const escaped = `${escape(before)}${bold === '' ? '' : `**${escape(bold)}**`}${escape(after)}`;
  const fenced = others.length === 0 ? [] : [`${FENCE}typescript\n${others.join('\n')}\n${FENCE}`];
  const strong = bold === '' ? '' : styled('bold', bold);
  return {
    markdown: [escaped, ...about, ...count, ...fenced].join('\n\n'),
    plain: [`${before}${strong}${after}`, ...about.map(plainText), ...count, ...others].join('\n')
  };
}

export function describeDefinition(place: string, source: string): Described {
  return both(`**Defined in** ${escape(place)}\n\n${FENCE}typescript\n${source}\n${FENCE}`);
}

export function joined(parts: readonly Described[]): Described {
  return {
    markdown: parts.map(({ markdown }) => markdown).join('\n\n'),
    plain: parts.map(({ plain }) => plain).join('\n\n')
  };
}

function both(markdown: string): Described {
  return { markdown, plain: plainText(markdown) };
}

function plainText(markdown: string): string {
  return markdown
    .replace(/^```.*\n?/gm, '')
    .replace(/\*\*?(@?[^*\n]+)\*\*?/g, '$1')
    .replace(/\\([\\`*_{}[\]()<>#+\-.!|~:])/g, '$1')
    .trim();
}

/** Removes links to the compiler's files, which notebooks cannot open. */
function withoutLinksToFiles(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\(file:[^)]*\)/g, '`$1`');
}

function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}
