/** Converts places in a cell's document to places in the cell: the document may begin with lines of the kernel. */

import type {
  CompletionList,
  DiagnosticReport,
  LspLocationLink,
  LspPosition,
  LspRange
} from './lsp-types.ts';

export function movedPosition({ line, character }: LspPosition, by: number): LspPosition {
  return { line: line + by, character };
}

function movedRange({ start, end }: LspRange, by: number): LspRange {
  return { start: movedPosition(start, by), end: movedPosition(end, by) };
}

/** Converts the places in an answer of the server. `headerLines` returns the number of lines before the cell in a document. */
export function inCells<Answer>(answer: Answer, uri: string, headerLines: (uri: string) => number): Answer {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (Array.isArray(answer)) {
    return (answer as LspLocationLink[]).map(link => movedLink(link, headerLines)) as Answer;
  }
  const by = -headerLines(uri);
  if (by === 0 || !('items' in answer)) return answer;
  const { items } = answer as CompletionList | DiagnosticReport;
  return { ...answer, items: items.map(item => movedItem(item, by)) };
}

type Item = CompletionList['items'][number] | DiagnosticReport['items'][number];

function movedItem(item: Item, by: number): Item {
  if ('range' in item) return { ...item, range: movedRange(item.range, by) };
  if (!('textEdit' in item) || item.textEdit === undefined) return item;
  return { ...item, textEdit: { ...item.textEdit, range: movedRange(item.textEdit.range, by) } };
}

function movedLink(link: LspLocationLink, headerLines: (uri: string) => number): LspLocationLink {
  const by = -headerLines(link.targetUri);
  return {
    ...link,
    targetRange: movedRange(link.targetRange, by),
    targetSelectionRange: movedRange(link.targetSelectionRange, by)
  };
}
