/** The text of `error.stack` in cells: places in cells are those of the user's source, and frames of the kernel are left out. */

import type { CellSources } from './cell-sources.ts';
import { isInternal } from './stack-frames.ts';

type Site = NodeJS.CallSite & { toString(): string };

/** Starts formatting stacks. Cells and libraries may replace `Error.prepareStackTrace`; `parseStack` reads both kinds of text. */
export function formatStacks(cells: CellSources): void {
  // A place in the script of a cell; groups: file, line, column.
  const place = new RegExp(`(${escaped(cells.folder)}/Cell \\[ ?\\d+\\]):(\\d+):(\\d+)`, 'g');
  Error.prepareStackTrace = (error, sites) => {
    const frames = sites as Site[];
    const shown = withoutKernel(frames).flatMap(site => frameText(site.toString(), place, cells) ?? []);
    // An error in the kernel itself.
    const lines = shown.length > 0 ? shown : frames.map(String);
    return [headOf(error), ...lines.map(line => `    at ${line}`)].join('\n');
  };
}

/** Leaves out frames of the kernel, and those of Node that called them. */
function withoutKernel(sites: readonly Site[]): Site[] {
  let isBelowKernel = false;
  return sites.filter(site => {
    const file = site.getFileName() ?? site.getEvalOrigin() ?? '';
    const isNode = file.startsWith('node:');
    if (!isNode) isBelowKernel = file !== '' && isInternal(file);
    return !isBelowKernel;
  });
}

/** Returns the text with the user's places; undefined for code that the kernel added to a cell. */
function frameText(text: string, cellPlace: RegExp, cells: CellSources): string | undefined {
  let isAdded = false;
  const mapped = text.replace(cellPlace, (whole, file: string, line: string, column: string) => {
    const place = cells.find(file, { line: Number(line), column: Number(column) - 1 });
    if (place === null) return whole;
    isAdded ||= place.position === null;
    return `${place.cell.label}:${place.position?.line}:${(place.position?.column ?? 0) + 1}`;
  });
  return isAdded ? undefined : mapped;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function headOf(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}
