/** Describes the word under the cursor, or the parameters of the call around it. */

import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILE_PREFIX } from './composer.ts';
import type { Draft } from './language-service.ts';
import type { Hover, LspLocationLink, SignatureHelp } from './lsp-types.ts';
import { describeDefinition, describeHover, describeSignatures, joined, type Described } from './markdown.ts';
import { inspectReply } from './replies.ts';
import { offsetAt, wordEnd, wordStart } from './text-positions.ts';

const MAX_SOURCE_LINES = 40;

/** Returns the text of the cell that a file represents. */
export type CellText = (file: string) => string | undefined;

/** Returns the content of an `inspect_reply`; at detail 1 with the source of the declaration. */
export async function inspect(draft: Draft, detail: number, cellText: CellText): Promise<object> {
  const { code, cursor } = draft;
  const start = wordStart(code, cursor);
  const onWord = wordEnd(code, cursor) > start;
  const parts: Described[] = [];
  const hover = onWord ? await draft.ask<Hover | null>('textDocument/hover', start) : null;
  const about = hover === null ? undefined : describeHover(hover);
  if (about !== undefined) {
    parts.push(about);
    if (detail > 0) parts.push(...(await definition(draft, start, cellText)));
  } else {
    const help = await draft.ask<SignatureHelp | null>('textDocument/signatureHelp', cursor);
    const call = help === null ? undefined : describeSignatures(help);
    if (call !== undefined) parts.push(call);
  }
  return inspectReply(parts.length === 0 ? undefined : joined(parts));
}

async function definition(draft: Draft, offset: number, cellText: CellText): Promise<Described[]> {
  let links = await definitions(draft, offset);
  const inSuffix = links.find(
    ({ targetUri, targetSelectionRange: { start } }) =>
      targetUri === draft.uri && offsetAt(draft.module.text, start) > draft.code.length
  );
  if (inSuffix !== undefined) {
    // `declare let x: typeof import("…").x`: the last name refers to the declaration.
    const { text } = draft.module;
    const end = offsetAt(text, inSuffix.targetRange.end);
    links = await definitions(draft, text.lastIndexOf('.', end) + 1);
  }
  return links.slice(0, 1).flatMap(link => {
    const shown = declaration(draft, link, cellText);
    return shown === undefined ? [] : [shown];
  });
}

async function definitions(draft: Draft, offset: number): Promise<readonly LspLocationLink[]> {
  return (await draft.ask<readonly LspLocationLink[] | null>('textDocument/definition', offset)) ?? [];
}

function declaration(
  draft: Draft,
  { targetUri, targetRange }: LspLocationLink,
  cellText: CellText
): Described | undefined {
  if (!targetUri.startsWith('file:')) return undefined;
  const path = fileURLToPath(targetUri);
  const file = relative(draft.folder, path);
  const isCell = basename(path).startsWith(FILE_PREFIX);
  const text = targetUri === draft.uri ? draft.code : isCell ? cellText(basename(path)) : readText(path);
  if (text === undefined) return undefined;
  const lines = text.slice(
    offsetAt(text, { line: targetRange.start.line, character: 0 }),
    offsetAt(text, targetRange.end)
  );
  const indent = /^[^\S\n]*/.exec(lines)![0];
  const shown = lines.split('\n').map(line => (line.startsWith(indent) ? line.slice(indent.length) : line));
  const source = [...shown.slice(0, MAX_SOURCE_LINES), ...(shown.length > MAX_SOURCE_LINES ? ['…'] : [])];
  const line = targetRange.start.line + 1;
  const where =
    targetUri === draft.uri
      ? `this cell, line ${line}`
      : isCell
        ? `an earlier cell, line ${line}`
        : `${file.startsWith('..') ? path : file}, line ${line}`;
  return describeDefinition(where, source.join('\n'));
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Files bundled in the compiler are not on disk.
    return undefined;
  }
}
