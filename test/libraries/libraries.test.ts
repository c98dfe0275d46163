/** Installs the packages of the table and runs a cell with each, and the examples of the page. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stridelab } from '../kernel/cli/command.ts';
import { examplesOf } from '../notebooks/documentation.ts';
import { codeCells, readNotebook, type CodeCell } from '../notebooks/notebook-files.ts';
import { project } from '../packages/project.ts';
import { libraries } from './list.ts';

const MINUTES = 60_000;
const INSTALLATION = 15 * MINUTES;
const RUN = 2 * MINUTES;

let folder: string;
beforeAll(async () => {
  const packages = libraries.flatMap(({ name, install = [], types = false }) => [
    ...(install.some(each => each.startsWith(`${name}@`)) ? [] : [name]),
    ...install,
    ...(types ? [`@types/${name}`] : [])
  ]);
  folder = await project('module', ...new Set(packages));
}, INSTALLATION);

/** Runs cells in one notebook beside the packages; returns them with their outputs. */
async function ran(
  name: string,
  sources: readonly string[]
): Promise<{ cells: CodeCell[]; findings: string }> {
  const path = join(folder, `${name.replaceAll(/\W/g, '-')}.ipynb`);
  const cells = sources.map((source, i) => ({
    cell_type: 'code',
    id: `c${i}`,
    metadata: {},
    execution_count: null,
    outputs: [],
    source
  }));
  const kernelspec = { name: 'stridelab', display_name: 'TypeScript', language: 'typescript' };
  writeFileSync(path, JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 }));
  const { stderr } = await stridelab(['run', path, '--inplace', '--allow-errors', '--timeout', '100'], {
    cwd: folder,
    env: { STRIDELAB_DEVICE: 'sim:0' }
  });
  return { cells: codeCells(readNotebook(path)), findings: stderr };
}

/** The outputs of a cell, each as `MIME-TYPE: text`, `stdout: text` or `error: text`, without colours. */
function shownBy({ outputs }: CodeCell): string {
  const lines = outputs.flatMap(({ output_type, data = {}, ...output }) => {
    const { name, text, ename, evalue } = output as Readonly<Record<string, string | string[] | undefined>>;
    if (output_type === 'error') return [`error: ${String(ename)}: ${String(evalue)}`];
    if (output_type === 'stream') return [`${String(name)}: ${[text].flat().join('')}`];
    return Object.entries(data).map(
      ([type, content]) =>
        `${type}: ${type.endsWith('json') ? JSON.stringify(content) : [content].flat().join('')}`
    );
  });
  return `${lines
    .join('\n')
    .replaceAll(/\x1b\[[\d;]*m/g, '')
    .trimEnd()}\n`;
}

test.each(libraries.map(library => [library.name, library] as const))(
  '%s',
  async (name, { cell, shows }) => {
    const { cells, findings } = await ran(name, [cell]);
    expect(shownBy(cells[0]!)).toMatch(shows);
    // The types of the package, or of its `@types`, fit the cell.
    expect(findings).not.toMatch(/error TS/);
  },
  RUN
);

test(
  'the examples of the page run, and each shows something',
  async () => {
    const sources = examplesOf('docs/packages.md')
      .filter(({ mark }) => mark === 'packages')
      .map(({ source }) => source);
    const { cells, findings } = await ran('page', sources);
    const problems = cells.flatMap((cell, i) => {
      const shown = shownBy(cell);
      return shown === '\n' || shown.includes('error: ') ? [`${sources[i]!}\nshows\n${shown}`] : [];
    });
    expect(problems).toEqual([]);
    expect(findings).not.toMatch(/error TS/);
  },
  RUN
);
