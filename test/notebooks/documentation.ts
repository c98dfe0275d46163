/** The pages of the documentation and their examples. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../setup/repository.ts';
import { readNotebook } from './notebook-files.ts';

export interface Example {
  /** Its first word: `ts`, `python`, `sh`. */
  readonly language: string;
  /** The rest of the line, for the tests only: `gpu`. */
  readonly mark: string | undefined;
  readonly source: string;
  /** Line of the page, from 1. */
  readonly line: number;
}

/** Pages relative to the repository: the README, CONTRIBUTING.md, the READMEs of the packages and all of `docs`. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'python/README.md',
  ...readdirSync(join(root, 'scripts/package/readme')).map(name => `scripts/package/readme/${name}`),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md') && !name.startsWith('.'))
    .map(name => relative(root, join(root, 'docs', name)))
    .sort()
];

export function examplesOf(page: string): Example[] {
  const examples: Example[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [i, line] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === undefined) open = { line: i + 2, info: fence[1]!.trim(), lines: [] };
    else {
      const [language = '', mark] = open.info.split(/\s+/);
      examples.push({ language, mark, source: open.lines.join('\n'), line: open.line });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${page}: the example of line ${open.line} has no end`);
  return examples;
}

/** Links to files of the repository, in the pages and in the tutorials' text. */
export function linksOf(): { readonly from: string; readonly target: string }[] {
  const notebooks = readdirSync(join(root, 'notebooks')).filter(name => name.endsWith('.ipynb'));
  const texts = [
    ...pages.map(page => [page, readFileSync(join(root, page), 'utf8')] as const),
    ...notebooks.map(name => {
      const { cells } = readNotebook(join(root, 'notebooks', name));
      const markdown = cells.filter(({ cell_type }) => cell_type === 'markdown');
      return [
        `notebooks/${name}`,
        markdown.map(({ source }) => [source].flat().join('')).join('\n')
      ] as const;
    })
  ];
  return texts.flatMap(([from, text]) => {
    const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');
    return [...prose.matchAll(/\]\(([^()\s]+)\)/g)]
      .map(([, target]) => target!)
      .filter(target => !/^[a-z]+:/.test(target))
      .map(target => ({ from, target }));
  });
}

/** The anchors of a page's headings, according to GitHub's rule. */
export function anchorsOf(page: string): Set<string> {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```/gms, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  const slug = (heading: string): string =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-');
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name]) => name!);
  return new Set([...headings.map(slug), ...named]);
}
