/** Completion at the cursor, from the types and from the live values. */

import type { LiveMember } from '../../protocol/executor-messages.ts';
import { isIdentifier } from '../../protocol/syntax.ts';
import type { LiveMembers } from '../executor/live-members.ts';
import { livePlace, type LivePlace } from './live-place.ts';
import { FILE_PREFIX } from './composer.ts';
import type { Draft } from './language-service.ts';
import {
  completionKind,
  completionText,
  type CompletionItem,
  type CompletionList,
  type LspLocationLink
} from './lsp-types.ts';
import { completeReply } from './replies.ts';
import { ownExports } from './own-exports.ts';
import { offsetAt, wordEnd, wordStart } from './text-positions.ts';

/** Number of items whose type is requested; few users read more before they type on. */
const MAX_SIGNATURES = 12;

/** Shorter prefixes match too many names. */
const MIN_IMPORT_PREFIX = 2;

interface Match {
  readonly text: string;
  readonly type: string;
  readonly signature?: string;
}

/** Returns the content of a `complete_reply`. */
export async function complete(draft: Draft, live: LiveMembers): Promise<object> {
  const { code, cursor } = draft;
  const place = livePlace(code, cursor);
  const members = place === undefined ? undefined : live.ask(place.path);
  const items = await typedItems(draft);
  const { start, fitting } = fittingItems(items, code, cursor);
  const matches = await describe(draft, fitting);
  const reply = (from: number, found: readonly Match[]): object =>
    completeReply(code, [from, wordEnd(code, cursor)], found);
  const found = await members;
  if (place !== undefined && found !== undefined) {
    const ofValue = liveMatches(found.members, place, code.slice(place.start, cursor));
    if (found.complete && !(await isLocal(draft, place))) return reply(place.start, ofValue);
    if (matches.length === 0 || place.start === start) {
      const known = new Set(matches.map(({ text }) => text));
      const more = ofValue.filter(({ text }) => !known.has(text));
      if (more.length > 0 && !(await isLocal(draft, place))) return reply(place.start, [...matches, ...more]);
    }
  }
  return reply(start, [...matches, ...importable(draft, start, items, matches)]);
}

/** Returns names of the library that the cell could import, at places where names in scope are allowed. */
function importable(
  { code, cursor }: Draft,
  start: number,
  items: readonly CompletionItem[],
  matches: readonly Match[]
): Match[] {
  const prefix = code.slice(start, cursor).toLowerCase();
  // Keywords are offered there, but not after a dot or in a string.
  const isFree = items.some(item => completionKind(item) === 'keyword');
  if (!isFree || prefix.length < MIN_IMPORT_PREFIX) return [];
  const known = new Set(matches.map(({ text }) => text));
  return [...ownExports()]
    .filter(([name]) => name.toLowerCase().startsWith(prefix) && !known.has(name))
    .map(([name, specifier]) => ({ text: name, type: 'reference', signature: `from '${specifier}'` }));
}

async function typedItems({ cursor, ask }: Draft): Promise<CompletionItem[]> {
  const context = { triggerKind: 1 };
  const answer = await ask<CompletionList | null>('textDocument/completion', cursor, { context });
  const items = answer?.items ?? [];
  // The files of cells are known only to the server.
  return items.filter(({ label }) => !label.startsWith(FILE_PREFIX));
}

/** Returns the items that match the prefix, and the offset of the text that they replace: a reply has one offset for all items. */
function fittingItems(
  items: readonly CompletionItem[],
  code: string,
  cursor: number
): { start: number; fitting: CompletionItem[] } {
  const word = wordStart(code, cursor);
  // The server gives its own range for module names, which are longer than a word.
  const startOf = ({ textEdit }: CompletionItem): number =>
    textEdit === undefined || textEdit.newText.startsWith('?.') ? word : offsetAt(code, textEdit.range.start);
  const matching = items
    .filter(item =>
      completionText(item)
        .toLowerCase()
        .startsWith(code.slice(startOf(item), cursor).toLowerCase())
    )
    .sort((a, b) => compare(a.sortText ?? a.label, b.sortText ?? b.label) || compare(a.label, b.label));
  const start = matching.some(item => startOf(item) === word) ? word : startOf(matching[0] ?? { label: '' });
  return { start, fitting: matching.filter(item => startOf(item) === start) };
}

async function describe({ request }: Draft, items: readonly CompletionItem[]): Promise<Match[]> {
  return Promise.all(
    items.map(async (item, index) => {
      const match = { text: completionText(item), type: completionKind(item) };
      if (index >= MAX_SIGNATURES || match.type === 'keyword') return match;
      const { detail } = await request<CompletionItem>('completionItem/resolve', item);
      const signature = signatureOf(detail ?? '', item.label);
      return signature === '' ? match : { ...match, signature };
    })
  );
}

/** Returns the text after the name in `(method) Shape.scale(by: number): void`: a function's signature, or a value's type. */
export function signatureOf(detail: string, name: string): string {
  const line = detail.split('\n')[0]!.replace(/ \(\+\d+ overloads?\)$/, '');
  const end = line.indexOf(name, line.startsWith('(') ? line.indexOf(')') : 0);
  if (end < 0) return '';
  const after = line.slice(end + name.length).replace(/^\?/, '');
  return after.startsWith('(') || after.startsWith('<') ? after : after.replace(/^: /, '').trim();
}

function liveMatches(members: readonly LiveMember[], { quoted }: LivePlace, prefix: string): Match[] {
  return members
    .filter(({ name }) => quoted || isIdentifier(name))
    .filter(({ name }) => name.toLowerCase().startsWith(prefix.toLowerCase()))
    .map(({ name, type }) => ({ text: name, type }));
}

/** Returns whether the name before the members is local to a function or block of the cell. */
async function isLocal({ ask, uri, code, module }: Draft, place: LivePlace): Promise<boolean> {
  const links = await ask<readonly LspLocationLink[] | null>('textDocument/definition', place.rootStart);
  const here = links?.find(({ targetUri }) => targetUri === uri);
  if (here === undefined) return false;
  return (
    offsetAt(module.text, here.targetSelectionRange.start) < code.length &&
    !module.facts.declared.has(place.path[0])
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
